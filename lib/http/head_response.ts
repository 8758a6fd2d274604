/** The request as it is routed: HEAD asks for what GET answers, and `headResponse` leaves the body out. */
export function asGet({ url, headers }: Request): Request {
  return new Request(url, { headers });
}

/**
 * What HEAD answers where GET answers `response`: no body, but the body's length, which the server
 * would otherwise tell as the empty body's, 0.
 */
export async function headResponse(response: Response): Promise<Response> {
  const { body, headers } = response;
  if (body === null) return response;
  const bare = new Response(null, response);
  // Events have no length before they end, and nobody would read them.
  const isStream = headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  if (isStream || headers.has("content-length")) await body.cancel();
  else bare.headers.set("content-length", String((await response.bytes()).byteLength));
  return bare;
}
