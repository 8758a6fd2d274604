/** A file of text that is read as it is sent; 404 without one. */
export function downloadLines(
  lines: AsyncGenerator<string> | undefined,
  { name, type }: { name: string; type: string },
): Response {
  if (lines === undefined) return new Response(null, { status: 404 });
  const body = ReadableStream.from(lines).pipeThrough(new TextEncoderStream());
  return new Response(body, {
    headers: {
      "content-type": type,
      "content-disposition": `attachment; filename="${name}"`,
      "cache-control": "no-store",
    },
  });
}
