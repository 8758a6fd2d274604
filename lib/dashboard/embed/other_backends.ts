import type { BackendValues } from "./backends.ts";

export function pythonBackend({ baseUrl, agentId, origin }: BackendValues): string {
  return `import json, os
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

def chat_session(origin):
    """Returns the status and the JSON for the browser."""
    call = Request("${baseUrl}/v1/widget/session", method="POST",
        data=json.dumps({"agentId": "${agentId}"}).encode(),
        headers={"Authorization": f"Bearer {os.environ['CHAT_API_KEY']}",
                 "Content-Type": "application/json",
                 "Origin": origin or "${origin}"})
    try:
        with urlopen(call, timeout=10) as minted:
            return minted.status, minted.read()
    except HTTPError as error:
        return error.code, error.read()
    except URLError:
        return 502, b"{}"
`;
}

export function phpBackend({ baseUrl, agentId, origin }: BackendValues): string {
  return `<?php
$call = curl_init('${baseUrl}/v1/widget/session');
curl_setopt_array($call, [
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_TIMEOUT => 10,
    CURLOPT_HTTPHEADER => [
        'Authorization: Bearer ' . getenv('CHAT_API_KEY'),
        'Content-Type: application/json',
        'Origin: ' . ($_SERVER['HTTP_ORIGIN'] ?? '${origin}'),
    ],
    CURLOPT_POSTFIELDS => json_encode(['agentId' => '${agentId}']),
]);
$body = curl_exec($call);
http_response_code($body === false ? 502 : curl_getinfo($call, CURLINFO_RESPONSE_CODE));
header('Content-Type: application/json');
echo $body === false ? '{}' : $body;
`;
}

export function rubyBackend({ baseUrl, agentId, origin }: BackendValues): string {
  return `require "json"
require "net/http"

# Returns the status and the JSON for the browser.
def chat_session(origin)
  minted = Net::HTTP.post(URI("${baseUrl}/v1/widget/session"),
    { agentId: "${agentId}" }.to_json,
    "Authorization" => "Bearer #{ENV.fetch("CHAT_API_KEY")}",
    "Content-Type" => "application/json",
    "Origin" => origin || "${origin}")
  [minted.code.to_i, minted.body]
rescue SystemCallError, SocketError, Timeout::Error
  [502, "{}"]
end
`;
}

export function goBackend({ baseUrl, agentId, origin }: BackendValues): string {
  return `package main

import (
	"cmp"
	"io"
	"net/http"
	"os"
	"strings"
)

func ChatSession(w http.ResponseWriter, r *http.Request) {
	body := strings.NewReader(\`{"agentId":"${agentId}"}\`)
	call, _ := http.NewRequestWithContext(r.Context(), "POST", "${baseUrl}/v1/widget/session", body)
	call.Header.Set("Authorization", "Bearer "+os.Getenv("CHAT_API_KEY"))
	call.Header.Set("Content-Type", "application/json")
	call.Header.Set("Origin", cmp.Or(r.Header.Get("Origin"), "${origin}"))
	minted, err := http.DefaultClient.Do(call)
	if err != nil {
		http.Error(w, "{}", http.StatusBadGateway)
		return
	}
	defer minted.Body.Close()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(minted.StatusCode)
	io.Copy(w, minted.Body)
}
`;
}
