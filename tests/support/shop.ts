/** A third-party site, set up as the dashboard's Embed page describes: its backend mints tokens. */
export interface Shop extends AsyncDisposable {
  readonly origin: string;
  /** The copied tag. */
  tag: string;
  /** The backend's API key. */
  key: string;
  /** The service's response to each mint. */
  readonly minted: number[];
}

/** A shop whose pages contain `tag`, and whose backend has the route `/chat-session`. */
export function openShop(baseUrl: string): Shop {
  const minted: number[] = [];
  const shop = { tag: "", key: "", minted };
  const mint = async (): Promise<Response> => {
    const answer = await fetch(`${baseUrl}/v1/widget/session`, {
      method: "POST",
      headers: { authorization: `Bearer ${shop.key}`, "content-type": "application/json", origin },
      body: JSON.stringify({ agentId: /data-agent-id="([^"]+)"/.exec(shop.tag)?.[1] }),
    });
    minted.push(answer.status);
    return answer;
  };
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (req) => {
    if (req.method === "POST" && new URL(req.url).pathname === "/chat-session") return mint();
    const html = `<!doctype html><html lang="en"><head><title>Shop</title>
      <link rel="icon" href="data:,"></head><body><main><h1>Shop</h1></main>${shop.tag}</body></html>`;
    return new Response(html, { headers: { "content-type": "text/html; charset=utf-8" } });
  });
  const origin = `http://127.0.0.1:${server.addr.port}`;
  return Object.assign(shop, {
    origin,
    [Symbol.asyncDispose]: () => server.shutdown(),
  });
}
