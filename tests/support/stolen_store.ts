/** Random text that does not occur by chance, to detect plaintext in a store. */
export function marker(): string {
  return crypto.getRandomValues(new Uint8Array(18)).toBase64({ alphabet: "base64url" })
    .replace(/[-_]/g, "x").toLowerCase();
}

/** A piece of this length does not occur by chance either. */
const PIECE = 8;

/** The content of every file in a folder except the named ones, as an attacker could copy it. */
export async function stolenBytes(dir: string, { but = [] as string[] } = {}): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const { name, isFile } of Deno.readDir(dir)) {
    if (isFile && !but.includes(name)) parts.push(await Deno.readFile(`${dir}/${name}`));
  }
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** The markers of which a piece occurs in the bytes as UTF-8, Latin-1 or UTF-16LE. */
export function markersIn(bytes: Uint8Array, markers: Record<string, string>): string[] {
  // One character per byte, so that each encoding can be searched as a substring.
  const text = latin1(bytes);
  return Object.entries(markers).filter(([, one]) => {
    return pieces(one).some((piece) => text.includes(piece) || text.includes(utf16(piece)));
  }).map(([name]) => name);
}

function pieces(text: string): string[] {
  const found: string[] = [];
  for (let at = 0; at + PIECE <= text.length; at += PIECE) found.push(text.slice(at, at + PIECE));
  return found;
}

/** Markers are ASCII: in UTF-16LE, a zero byte follows each character. */
function utf16(text: string): string {
  return [...text].join("\0");
}

/** Unlike "latin1" of TextDecoder, which is Windows-1252, this keeps every byte. */
function latin1(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 32_768) {
    text += String.fromCharCode(...bytes.subarray(at, at + 32_768));
  }
  return text;
}
