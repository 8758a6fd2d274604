"""Sends a message to an agent and streams its answer: python3 client.py "Hello"

Reads BASE_URL, API_KEY and AGENT_ID from the environment. After a lost connection it resumes where
it stopped; Ctrl-C cancels the run, which then costs no more. If a proxy on the way buffers streams,
it reads the answer by polls; WAIT_SECONDS=10 begins with them."""
import http.client, json, os, sys, time, urllib.error, urllib.request, uuid

BASE, KEY, AGENT = (os.environ[name] for name in ("BASE_URL", "API_KEY", "AGENT_ID"))
RETRY_SECONDS = float(os.environ.get("RETRY_SECONDS", "1.5"))
SILENCE_SECONDS = 15  # The service sends a keep-alive every 10, and polls wait no longer than that.
WAIT_SECONDS = os.environ.get("WAIT_SECONDS")


def call(method, path, body=None, **headers):
    """Sends one request; header names have underscores instead of hyphens."""
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    sent |= {"authorization": f"Bearer {KEY}", "content-type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(BASE + path, data, sent, method=method)
    return urllib.request.urlopen(request, timeout=SILENCE_SECONDS)


def frames(response):
    """Each complete event as its id and frame; one without its blank line was cut off."""
    fields = {}
    for line in response:
        if not line.endswith(b"\n"):
            return  # Cut off, possibly inside a character.
        name, _, value = line.decode().rstrip("\r\n").partition(":")
        if line.strip():
            fields[name] = value.removeprefix(" ")
        elif fields:
            if "data" in fields:
                yield fields["id"], json.loads(fields["data"])
            fields = {}


def ask(text):
    body = {"agentId": AGENT, "messages": [{"role": "user", "content": text}]}
    key, run, last = str(uuid.uuid4()), None, None  # Repeated requests with one key are one run.
    poll = f"?wait={WAIT_SECONDS}" if WAIT_SECONDS else ""
    while True:
        try:
            response = call("GET", f"{run}/stream{poll}", last_event_id=last) if run else call(
                "POST", f"/v1/chat/stream{poll}", body, idempotency_key=key)
            for last, frame in frames(response):
                run = "/v1/chat/runs/" + last.rpartition(".")[0]
                if frame["type"] == "delta":
                    print(frame["text"], end="", flush=True)
                elif frame["type"] == "error":
                    print(f"\n{frame['code']}: {frame['message']}", file=sys.stderr)
                elif frame["type"] == "done":  # The rest need not be read.
                    return frame["finishReason"]
            time.sleep(RETRY_SECONDS)  # A poll has ended, or the connection was lost.
        except KeyboardInterrupt:
            if not run: raise
            call("POST", f"{run}/cancel").close()  # The last frames still follow.
        except urllib.error.HTTPError as error:
            sys.exit(error.read().decode())
        except TimeoutError:  # Buffered on the way: a poll's response is complete.
            poll = "?wait=10"
        except (OSError, http.client.HTTPException):
            time.sleep(RETRY_SECONDS)


print(f"\n[{ask(sys.argv[1])}]", file=sys.stderr)
