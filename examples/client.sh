#!/usr/bin/env bash
# Sends a message to an agent and prints each frame of its answer as a line of JSON: client.sh "Hello"
# Reads BASE_URL, API_KEY and AGENT_ID from the environment. After a lost connection it resumes where it
# stopped; Ctrl-C cancels the run. If a proxy on the way buffers streams, it reads the answer by polls;
# WAIT_SECONDS=10 begins with them. Needs curl.
set -u
retry=${RETRY_SECONDS:-1.5} run='' last='' ended=''
poll=${WAIT_SECONDS:+?wait=$WAIT_SECONDS}
# Repeated requests with this key are one run.
key=$(cat /proc/sys/kernel/random/uuid 2>/dev/null || uuidgen)

text=${1//\\/\\\\} text=${text//\"/\\\"}
for code in {1..31}; do # Line feeds and other characters that JSON requires to be escaped.
  printf -v byte "\\x$(printf %x "$code")" && printf -v escaped '\\u%04x' "$code"
  text=${text//"$byte"/"$escaped"}
done
body="{\"agentId\":\"$AGENT_ID\",\"messages\":[{\"role\":\"user\",\"content\":\"$text\"}]}"

request() { # Takes arguments of curl.
  # The service sends something every 10 seconds, and a poll's response is complete by then.
  curl -sN --speed-limit 1 --speed-time 15 -H "Authorization: Bearer $API_KEY" "$@"
}

stop() { # The last frames still follow.
  [ -z "$run" ] && exit 130
  request -o /dev/null -X POST "$BASE_URL/v1/chat/runs/$run/cancel"
}
trap stop INT

ask() {
  if [ -z "$run" ]; then
    request -i -H "Content-Type: application/json" -H "Idempotency-Key: $key" -d "$body" \
      "$BASE_URL/v1/chat/stream$poll"
  else
    request -i -H "Last-Event-ID: $last" "$BASE_URL/v1/chat/runs/$run/stream$poll"
  fi
  [ $? = 28 ] && echo silent # Buffered on the way.
}

while [ -z "$ended" ]; do
  id='' data='' status=''
  # A line without its end was cut off, as was an event without its blank line.
  while IFS= read -r line; do
    line=${line%$'\r'}
    case $line in
      HTTP/*) status=${line#* } status=${status%% *} ;;
      silent) poll='?wait=10' ;;
      'id: '*) id=${line#id: } ;;
      'data: '*) data=${line#data: } ;;
      '')
        [ -n "$data" ] && printf '%s\n' "$data" && last=$id run=${id%.*}
        case $data in '{"type":"done"'*) ended=1 ;; esac
        data=''
        ;;
    esac
  done < <(ask)
  case $status in 4?? | 5??) printf '%s\n' "$line" >&2 && exit 1 ;; esac
  [ -n "$ended" ] || sleep "$retry"
done
