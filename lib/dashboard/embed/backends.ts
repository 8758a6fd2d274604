import { goBackend, phpBackend, pythonBackend, rubyBackend } from "./other_backends.ts";
import { wordpressPlugin } from "./wordpress_plugin.ts";

/** What the code of a backend is filled in with. */
export interface BackendValues {
  /** The service's address, without a trailing slash. */
  baseUrl: string;
  agentId: string;
  /** The site's origin, for requests without an `Origin` header. */
  origin: string;
  /** The script tag, for backends that also print it. */
  tag: string;
}

/**
 * A backend that mints session tokens in one language. Each forwards the browser's `Origin` unchanged,
 * never makes one up from `Host`, and returns the service's response as it is.
 */
export interface Backend {
  id: string;
  name: string;
  /** The name of the file that holds it. */
  file: string;
  code: (values: BackendValues) => string;
  /** How to connect it to a framework or a page. */
  use: string;
  /** It prints the script tag itself, and is installed as a file. */
  isPlugin?: boolean;
}

/** In the order in which they are offered. The key is read from `CHAT_API_KEY`. */
export const BACKENDS: readonly [Backend, ...Backend[]] = [
  {
    id: "node",
    name: "Node",
    file: "chat-session.mjs",
    code: nodeBackend,
    use: 'app.post("/chat-session", chatSession); // Express, or any server with (req, res)',
  },
  {
    id: "deno",
    name: "Deno",
    file: "chat-session.ts",
    code: denoBackend,
    use: "Deno.serve(chatSession); // or a POST route of Hono or Next.js",
  },
  {
    id: "python",
    name: "Python",
    file: "chat_session.py",
    code: pythonBackend,
    use: `@app.post("/chat-session")  # Flask
def post_chat_session():
    status, body = chat_session(request.headers.get("Origin"))
    return Response(body, status, content_type="application/json")`,
  },
  {
    id: "php",
    name: "PHP",
    file: "chat-session.php",
    code: phpBackend,
    use: 'data-session-endpoint="/chat-session.php" // instead of /chat-session',
  },
  {
    id: "ruby",
    name: "Ruby",
    file: "chat_session.rb",
    code: rubyBackend,
    use: `post "/chat-session" do # Sinatra
  status, body = chat_session(request.env["HTTP_ORIGIN"])
  [status, { "content-type" => "application/json" }, body]
end`,
  },
  {
    id: "go",
    name: "Go",
    file: "chat_session.go",
    code: goBackend,
    use: 'http.HandleFunc("POST /chat-session", ChatSession)',
  },
  {
    id: "wordpress",
    name: "WordPress",
    file: "agent-chat.php",
    code: wordpressPlugin,
    use: "define('CHAT_API_KEY', '…'); // in wp-config.php",
    isPlugin: true,
  },
];

/** The backend with this id, or the first one. */
export function findBackend(id: string | null): Backend {
  return BACKENDS.find((backend) => backend.id === id) ?? BACKENDS[0];
}

function nodeBackend({ baseUrl, agentId, origin }: BackendValues): string {
  return `export async function chatSession(req, res) {
  const minted = await fetch("${baseUrl}/v1/widget/session", {
    method: "POST",
    headers: {
      authorization: \`Bearer \${process.env.CHAT_API_KEY}\`,
      "content-type": "application/json",
      origin: req.headers.origin ?? "${origin}",
    },
    body: JSON.stringify({ agentId: "${agentId}" }),
  }).catch(() => new Response("{}", { status: 502 }));
  res.writeHead(minted.status, { "content-type": "application/json" });
  res.end(await minted.text());
}
`;
}

function denoBackend({ baseUrl, agentId, origin }: BackendValues): string {
  return `export async function chatSession(req: Request): Promise<Response> {
  const minted = await fetch("${baseUrl}/v1/widget/session", {
    method: "POST",
    headers: {
      authorization: \`Bearer \${Deno.env.get("CHAT_API_KEY")}\`,
      "content-type": "application/json",
      origin: req.headers.get("origin") ?? "${origin}",
    },
    body: JSON.stringify({ agentId: "${agentId}" }),
  }).catch(() => new Response("{}", { status: 502 }));
  const headers = { "content-type": "application/json" };
  return new Response(minted.body, { status: minted.status, headers });
}
`;
}
