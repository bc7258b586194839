#!/bin/sh
# Answers "!echo words" with the words. Needs curl (7.76 or newer) and jq:
#   RIALTO_URL=http://127.0.0.1:4242 RIALTO_TOKEN=… sh bot.sh
set -eu
url=${RIALTO_URL:-http://127.0.0.1:4242}/v1

# Leaves the answer in $answer. What fails for a reason that passes is repeated; all else ends the program.
# The token goes in by a file descriptor: everybody on this machine can read the arguments of programs.
ask() { # method path body [header]
  while true; do
    answer=$(printf '%s' "${RIALTO_TOKEN:+header = \"Authorization: Bearer $RIALTO_TOKEN\"}" |
      curl --silent --show-error --fail-with-body --max-time 60 --config - \
        --request "$1" --header 'Content-Type: application/json' ${4:+--header "$4"} --data "$3" "$url$2") && return
    case $(printf %s "$answer" | jq .status) in
      408 | 429) ;;
      4*) printf '%s\n' "$answer" >&2 && exit 1 ;;
    esac
    sleep 2
  done
}

# The consumer keeps its place on the server: what is said while this program is not there waits for it.
ask PUT /consumers/echo-sh '{"filter":{"types":["message.posted"]}}'
restart=true # What an earlier run was handed and did not finish comes first.
while true; do
  ask POST /consumers/echo-sh/pull "{\"max\":1,\"wait\":\"30s\",\"restart\":$restart}"
  restart=false
  event=$(printf %s "$answer" | jq --compact-output '.events[0].event // empty')
  [ -n "$event" ] || continue
  seq=$(printf %s "$event" | jq --raw-output .seq)
  words=$(printf %s "$event" | jq --compact-output '.message | select(.text | startswith("!echo "))
    | {text: .text[6:], author: {name: "echo"}, reply_to: .id}')
  if [ -n "$words" ]; then
    gateway=$(printf %s "$event" | jq --raw-output '.gateways[0] | @uri')
    # With a key of its own, the answer is given once even when the event comes twice.
    ask POST "/gateways/$gateway/messages" "$words" "Idempotency-Key: echo-sh-$seq"
  fi
  # Without this, the event comes again.
  ask POST /consumers/echo-sh/ack "{\"ack\":[\"$seq\"]}"
done
