import type { DocumentType } from "@/lib/schemas/media_types.ts";
import type { Job } from "@/lib/knowledge/ingest/worker/job_messages.ts";
import { SeededRandom } from "./fuzz/seeded_random.ts";
import { HOSTILE_PATTERNS } from "./hostile_patterns.ts";
import { makePdf } from "./make_pdf.ts";

const TYPES: DocumentType[] = ["text/plain", "text/markdown", "text/html", "application/pdf"];
const encoder = new TextEncoder();

/** Random jobs, reproducible by seed: noise, mixed pieces, and damaged documents. */
export function* randomJobs(seed: number, count: number): Generator<Job> {
  const dice = new SeededRandom(seed);
  for (let n = 0; n < count; n++) yield dice.chance(0.1) ? openJob(dice) : readJob(dice);
}

function readJob(dice: SeededRandom): Job {
  const type = dice.pick(TYPES);
  if (type === "application/pdf") return { kind: "document", type, bytes: damagedPdf(dice) };
  const bytes = dice.chance(0.3) ? noise(dice, dice.int(0, 2_000)) : encoder.encode(pieces(dice));
  return { kind: "document", type, bytes: dice.chance(0.2) ? damage(dice, bytes) : bytes };
}

/** A body damaged with knowledge of the format. */
function openJob(dice: SeededRandom): Job {
  const isForm = dice.chance(0.5);
  const contentType = isForm
    ? `multipart/form-data; boundary=${dice.pick(["b", "", '"', "b b"])}`
    : "application/json";
  const name = pieces(dice).slice(0, 200);
  const text = isForm
    ? `--b\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\n\r\n${name}\r\n--b--\r\n`
    : JSON.stringify({ title: name, content: name, mediaType: "text/markdown" });
  const bytes = encoder.encode(text);
  return {
    kind: "upload",
    contentType,
    several: dice.chance(0.5),
    bytes: dice.chance(0.5) ? damage(dice, bytes) : bytes,
  };
}

/** Pieces that parsers treat specially, in any order. */
function pieces(dice: SeededRandom): string {
  let text = "";
  for (let n = dice.int(0, 60); n > 0; n--) {
    text += dice.chance(0.3) ? "word " : dice.pick(HOSTILE_PATTERNS).piece.repeat(dice.int(1, 4));
  }
  return text;
}

function damagedPdf(dice: SeededRandom): Uint8Array<ArrayBuffer> {
  if (dice.chance(0.1)) return encoder.encode(`%PDF-1.7\n${pieces(dice)}`);
  return damage(dice, makePdf([[[dice.int(1, 40), pieces(dice).slice(0, 300)], [11, "words"]]]));
}

/** Changes some bytes, and removes or duplicates a part. */
function damage(dice: SeededRandom, whole: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const bytes = whole.slice();
  for (let n = dice.int(0, 12); n > 0 && bytes.length > 0; n--) {
    bytes[dice.int(0, bytes.length - 1)] = dice.int(0, 255);
  }
  const [from, to] = [dice.int(0, bytes.length), dice.int(0, bytes.length)];
  if (dice.chance(0.5)) return bytes.slice(0, from);
  return dice.chance(0.5) ? Uint8Array.from([...bytes.slice(0, from), ...bytes.slice(to)]) : bytes;
}

function noise(dice: SeededRandom, size: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: size }, () => dice.int(0, 255));
}
