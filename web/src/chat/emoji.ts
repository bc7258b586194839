/** The most used ones, by the names that people know from elsewhere. A line for each: sign, then names. */
const LIST = `👍 +1 thumbsup
👎 -1 thumbsdown
❤️ heart
😂 joy
😄 smile
😀 grinning
😁 grin
😅 sweat_smile
🤣 rofl
🙂 slight_smile
😉 wink
😊 blush
😍 heart_eyes
😘 kissing_heart
😎 sunglasses
🤔 thinking
😐 neutral_face
🙄 rolling_eyes
😏 smirk
😮 open_mouth
😴 sleeping
😜 stuck_out_tongue_winking_eye
😛 stuck_out_tongue
😢 cry
😭 sob
😡 rage
😱 scream
😳 flushed
🥳 partying_face
🥺 pleading_face
🤯 exploding_head
🤗 hugs
🤦 facepalm
🤷 shrug
🙏 pray
👏 clap
🙌 raised_hands
👋 wave
💪 muscle
👌 ok_hand
✌️ v
🤞 crossed_fingers
👀 eyes
🎉 tada
🎂 birthday
🎁 gift
🚀 rocket
🔥 fire
✨ sparkles
⭐ star
💯 100
✅ white_check_mark
❌ x
❓ question
❗ exclamation
⚠️ warning
💡 bulb
🐛 bug
🔧 wrench
🔒 lock
🔑 key
📎 paperclip
📌 pushpin
📅 date
⏰ alarm_clock
⏳ hourglass_flowing_sand
☕ coffee
🍺 beer
🍻 beers
🍕 pizza
🍰 cake
🍎 apple
🌍 earth_africa
🌞 sun_with_face
🌙 crescent_moon
☀️ sunny
🌧️ cloud_with_rain
❄️ snowflake
🌈 rainbow
🌱 seedling
🌹 rose
🐶 dog
🐱 cat
🐧 penguin
🦊 fox_face
🐢 turtle
🐍 snake
🦄 unicorn
🐝 bee
👻 ghost
🤖 robot
💀 skull
💩 poop
💔 broken_heart
💙 blue_heart
💚 green_heart
💛 yellow_heart
💜 purple_heart
🎵 musical_note
🎮 video_game
⚽ soccer
🏆 trophy
🚗 car
🚲 bike
✈️ airplane
🚂 steam_locomotive
🏠 house
💻 computer
📱 iphone
📷 camera
📧 email
💰 moneybag
🆗 ok
➕ heavy_plus_sign
➡️ arrow_right
⬅️ arrow_left
⬆️ arrow_up
⬇️ arrow_down`;

/** By name. */
export const EMOJI: ReadonlyMap<string, string> = new Map(
  LIST.split("\n").flatMap((line) => {
    const [sign = "", ...names] = line.split(" ");
    return names.map((name) => [name, sign] as const);
  }),
);

/** Offered for a reaction, each once. */
export const SIGNS: ReadonlyMap<string, string> = new Map(
  LIST.split("\n").map((line) => {
    const [sign = "", name = ""] = line.split(" ");
    return [sign, name] as const;
  }),
);
