/** A page that somebody else serves, as the dashboard's Embed tab says to: its backend mints. */
export interface Shop extends AsyncDisposable {
  readonly origin: string;
  /** The tag as it was copied, with the place for a token still in it. */
  tag: string;
  /** The API key that the backend was given. */
  key: string;
  /** What the service said to each mint. */
  readonly minted: number[];
}

/** A shop whose pages have what `tag` says; they are served also when nothing could be minted. */
export function openShop(baseUrl: string): Shop {
  const minted: number[] = [];
  const shop = { tag: "", key: "", minted };
  const mint = async (): Promise<string> => {
    const answer = await fetch(`${baseUrl}/v1/widget/session`, {
      method: "POST",
      headers: { authorization: `Bearer ${shop.key}`, "content-type": "application/json", origin },
      body: JSON.stringify({ agentId: /data-agent-id="([^"]+)"/.exec(shop.tag)?.[1] }),
    });
    minted.push(answer.status);
    return (await answer.json()).sessionToken ?? "";
  };
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async () => {
    const tag = shop.tag.replace("<SESSION_TOKEN>", await mint());
    const html = `<!doctype html><html lang="en"><head><title>Shop</title>
      <link rel="icon" href="data:,"></head><body><main><h1>Shop</h1></main>${tag}</body></html>`;
    return new Response(html, { headers: { "content-type": "text/html; charset=utf-8" } });
  });
  const origin = `http://127.0.0.1:${server.addr.port}`;
  return Object.assign(shop, {
    origin,
    [Symbol.asyncDispose]: () => server.shutdown(),
  });
}
