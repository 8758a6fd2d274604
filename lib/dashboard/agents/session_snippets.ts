import { mintCommand } from "../../schemas/script_tag.ts";

type SnippetValues = { baseUrl: string; agentId: string; origin: string };

/** Each passes the browser's `Origin` on unchanged, and never makes one up from `Host`. */
export const SESSION_SNIPPETS: readonly {
  language: string;
  code: (facts: SnippetValues) => string;
}[] = [
  { language: "Node", code: node },
  { language: "Python", code: python },
  { language: "PHP", code: php },
  { language: "Go", code: go },
  { language: "curl", code: mintCommand },
];

function node({ baseUrl, agentId, origin }: SnippetValues): string {
  return `app.post("/chat-session", async (req, res) => {
  const minted = await fetch("${baseUrl}/v1/widget/session", {
    method: "POST",
    headers: {
      authorization: \`Bearer \${process.env.CHAT_API_KEY}\`,
      "content-type": "application/json",
      origin: req.get("origin") ?? "${origin}",
    },
    body: JSON.stringify({ agentId: "${agentId}" }),
  });
  res.status(minted.status).type("json").send(await minted.text());
});`;
}

function python({ baseUrl, agentId, origin }: SnippetValues): string {
  return `@app.post("/chat-session")
def chat_session():
    minted = requests.post(
        "${baseUrl}/v1/widget/session",
        headers={
            "Authorization": f"Bearer {os.environ['CHAT_API_KEY']}",
            "Origin": request.headers.get("Origin", "${origin}"),
        },
        json={"agentId": "${agentId}"},
        timeout=10,
    )
    return Response(minted.content, minted.status_code, content_type="application/json")`;
}

function php({ baseUrl, agentId, origin }: SnippetValues): string {
  return `$call = curl_init('${baseUrl}/v1/widget/session');
curl_setopt_array($call, [
    CURLOPT_POST => true,
    CURLOPT_RETURNTRANSFER => true,
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
echo $body;`;
}

function go({ baseUrl, agentId, origin }: SnippetValues): string {
  return `func chatSession(w http.ResponseWriter, r *http.Request) {
	body := strings.NewReader(\`{"agentId":"${agentId}"}\`)
	call, err := http.NewRequestWithContext(r.Context(), "POST",
		"${baseUrl}/v1/widget/session", body)
	if err != nil {
		http.Error(w, "chat is not available", http.StatusBadGateway)
		return
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		origin = "${origin}"
	}
	call.Header.Set("Authorization", "Bearer "+os.Getenv("CHAT_API_KEY"))
	call.Header.Set("Content-Type", "application/json")
	call.Header.Set("Origin", origin)
	minted, err := http.DefaultClient.Do(call)
	if err != nil {
		http.Error(w, "chat is not available", http.StatusBadGateway)
		return
	}
	defer minted.Body.Close()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(minted.StatusCode)
	io.Copy(w, minted.Body)
}`;
}
