/** A third-party page, set up as the dashboard's Embed tab describes: its backend mints tokens. */
export interface Shop extends AsyncDisposable {
  readonly origin: string;
  /** The copied tag, with the token placeholder. */
  tag: string;
  /** The backend's API key. */
  key: string;
  /** The service's response to each mint. */
  readonly minted: number[];
}

/** A shop whose pages contain `tag`, even when minting fails. */
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
