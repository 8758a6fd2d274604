const encoder = new TextEncoder();

/** A PDF object: its dictionary or other text, and an optional stream. */
export interface PdfObject {
  text: string;
  stream?: Uint8Array<ArrayBuffer> | string;
}

/** Lines of one page, each with its font size in points. */
export type PdfPage = [size: number, text: string][];

/** A minimal PDF with pages of Latin text. */
export function makePdf(pages: PdfPage[]): Uint8Array<ArrayBuffer> {
  const font = 3;
  const kids = pages.map((_, n) => `${4 + n * 2} 0 R`).join(" ");
  return writePdf([
    { text: "<< /Type /Catalog /Pages 2 0 R >>" },
    { text: `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>` },
    { text: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>" },
    ...pages.flatMap((lines, n): PdfObject[] => [
      {
        text: `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${5 + n * 2} 0 R ` +
          `/Resources << /Font << /F1 ${font} 0 R >> >> >>`,
      },
      { text: "", stream: contentOf(lines) },
    ]),
  ]);
}

/** Writes objects numbered from 1, the first being the catalog, and their cross-reference table. */
export function writePdf(objects: PdfObject[], trailer = ""): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array<ArrayBuffer>[] = [encoder.encode("%PDF-1.7\n")];
  const offsets: number[] = [];
  const size = () => parts.reduce((sum, part) => sum + part.length, 0);
  objects.forEach(({ text, stream }, n) => {
    offsets.push(size());
    const bytes = typeof stream === "string" ? encoder.encode(stream) : stream;
    const length = bytes === undefined ? "" : ` /Length ${bytes.length} `;
    const dictionary = text === "" ? `<<${length}>>` : text.replace(/>>$/, `${length}>>`);
    parts.push(encoder.encode(`${n + 1} 0 obj\n${dictionary}\n`));
    if (bytes !== undefined) {
      parts.push(encoder.encode("stream\n"), bytes, encoder.encode("\nendstream\n"));
    }
    parts.push(encoder.encode("endobj\n"));
  });
  const table = offsets.map((at) => `${String(at).padStart(10, "0")} 00000 n \n`).join("");
  const count = objects.length + 1;
  const end = `xref\n0 ${count}\n0000000000 65535 f \n${table}trailer\n` +
    `<< /Size ${count} /Root 1 0 R ${trailer} >>\nstartxref\n${size()}\n%%EOF\n`;
  parts.push(encoder.encode(end));
  return joined(parts);
}

/** Deflates in the format of PDF. */
export async function deflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate"));
  return await new Response(stream).bytes();
}

function contentOf(lines: PdfPage): string {
  let y = 780;
  const shown = lines.map(([size, text]) => {
    y -= size * 1.3;
    return `BT /F1 ${size} Tf 50 ${y.toFixed(1)} Td (${text.replace(/[()\\]/g, "\\$&")}) Tj ET`;
  });
  return shown.join("\n");
}

function joined(parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** A PDF of 6 KB whose one page draws 2^30 forms: its parser works for hours. */
export function endlessPdf(): Uint8Array<ArrayBuffer> {
  const depth = 30;
  const resources = (n: number) => `/Resources << /XObject << /F ${n} 0 R >> >>`;
  const form = (n: number): PdfObject => ({
    text: `<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] ${resources(n + 1)} >>`,
    stream: "/F Do /F Do",
  });
  return writePdf([
    { text: "<< /Type /Catalog /Pages 2 0 R >>" },
    { text: "<< /Type /Pages /Kids [3 0 R] /Count 1 >>" },
    { text: `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R ${resources(5)} >>` },
    { text: "", stream: "/F Do" },
    ...Array.from({ length: depth }, (_, n) => form(5 + n)),
    {
      text: "<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] " +
        "/Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
      stream: "BT /F1 1 Tf (x) Tj ET",
    },
  ]);
}

/** A PDF of some MiB whose one page inflates to `mib` MiB of text. */
export async function bombPdf(mib: number): Promise<Uint8Array<ArrayBuffer>> {
  const line = "BT /F1 11 Tf 50 700 Td (The quick brown fox jumps over the lazy dog) Tj ET\n";
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      const block = encoder.encode(line.repeat(Math.ceil(1_048_576 / line.length)));
      for (let n = 0; n < mib; n++) controller.enqueue(block);
      controller.close();
    },
  });
  const stream = await new Response(source.pipeThrough(new CompressionStream("deflate"))).bytes();
  return writePdf([
    { text: "<< /Type /Catalog /Pages 2 0 R >>" },
    { text: "<< /Type /Pages /Kids [3 0 R] /Count 1 >>" },
    {
      text: "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R " +
        "/Resources << /Font << /F1 4 0 R >> >> >>",
    },
    { text: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>" },
    { text: "<< /Filter /FlateDecode >>", stream },
  ]);
}
