#!/bin/sh
# Answers "!echo words" with the words. Needs curl and jq:
#   RIALTO_URL=http://127.0.0.1:4242 RIALTO_TOKEN=… sh bot.sh
set -eu
url=${RIALTO_URL:-http://127.0.0.1:4242}/v1

# The token goes in by a file descriptor: everybody on this machine can read the arguments of programs.
ask() { # method path body [header]
  printf 'header = "Authorization: Bearer %s"\n' "${RIALTO_TOKEN:-none}" |
    curl --silent --show-error --fail-with-body --retry 5 --retry-all-errors --max-time 60 --config - \
      --request "$1" --header 'Content-Type: application/json' ${4:+--header "$4"} --data "$3" "$url$2"
}

# The consumer keeps its place on the server: what is said while this program is not there waits for it.
ask PUT /consumers/echo-sh '{"filter":{"types":["message.posted"]}}' >/dev/null
while true; do
  event=$(ask POST /consumers/echo-sh/pull '{"max":1,"wait":"30s"}' | jq --compact-output '.events[0].event // empty')
  [ -n "$event" ] || continue
  seq=$(printf %s "$event" | jq --raw-output .seq)
  words=$(printf %s "$event" | jq --compact-output '.message | select(.text | startswith("!echo "))
    | {text: .text[6:], author: {name: "echo"}, reply_to: .id}')
  if [ -n "$words" ]; then
    gateway=$(printf %s "$event" | jq --raw-output '.gateways[0] | @uri')
    # With a key of its own, the answer is given once even when the event comes twice.
    ask POST "/gateways/$gateway/messages" "$words" "Idempotency-Key: echo-sh-$seq" >/dev/null
  fi
  # Without this, the event comes again.
  ask POST /consumers/echo-sh/ack "{\"ack\":[\"$seq\"]}" >/dev/null
done
