/**
 * What HEAD answers where GET answers `response`: no body, but the body's length, which the server
 * would otherwise tell as the empty body's, 0.
 */
export async function headResponse(response: Response): Promise<Response> {
  const { body, headers } = response;
  if (body === null) return response;
  const bare = new Response(null, response);
  // Events have no length before they end, and nobody would read them.
  if (headers.get("content-type")?.startsWith("text/event-stream")) await body.cancel();
  else bare.headers.set("content-length", String((await response.bytes()).byteLength));
  return bare;
}
