/** A HEAD request as the GET request to route; `headResponse` removes the body. */
export function asGet({ url, headers }: Request): Request {
  return new Request(url, { headers });
}

/** The response without its body but with the body's length, which the server would set to 0. */
export async function headResponse(response: Response): Promise<Response> {
  const { body, headers } = response;
  if (body === null) return response;
  const bare = new Response(null, response);
  const isStream = headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  if (isStream || headers.has("content-length")) await body.cancel();
  else bare.headers.set("content-length", String((await response.bytes()).byteLength));
  return bare;
}
