import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { ScriptBundle } from "../store/script_bundle.ts";

/** The codings that a script is sent in, the smallest first. */
const CODINGS = ["br", "gzip"] as const;
type Coding = typeof CODINGS[number];
type Body = Uint8Array<ArrayBuffer>;

const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };

/** Off the main thread: the best compression takes some 50 ms, once for each script. */
const COMPRESS: Record<Coding, (body: Body) => Promise<Uint8Array>> = {
  br: (body) => promisify(brotliCompress)(body, QUALITY),
  gzip: (body) => promisify(gzip)(body, { level: 9 }),
};

const compressed = new WeakMap<ScriptBundle, Map<Coding, Promise<Body>>>();

/** The part of a response that depends on what the client can decompress. */
export interface EncodedScript {
  body: Body;
  headers: Record<string, string>;
}

/** A script as small as the client accepts it. Each coding has its own entity tag. */
export async function encodeScript(
  script: ScriptBundle,
  accepted: string | null,
): Promise<EncodedScript> {
  const coding = CODINGS.find((coding) => accepts(accepted ?? "", coding));
  const headers = { vary: "accept-encoding", etag: `"${script.hash12}"` };
  if (coding === undefined) return { body: script.body, headers };
  const etag = `"${script.hash12}-${coding}"`;
  const body = await compressOnce(script, coding);
  return { body, headers: { ...headers, etag, "content-encoding": coding } };
}

function compressOnce(script: ScriptBundle, coding: Coding): Promise<Body> {
  const known = compressed.get(script) ?? new Map<Coding, Promise<Body>>();
  compressed.set(script, known);
  const body = known.get(coding) ?? compress(script, coding);
  known.set(coding, body);
  return body;
}

async function compress({ body, gzip }: ScriptBundle, coding: Coding): Promise<Body> {
  return coding === "gzip" && gzip ? gzip : new Uint8Array(await COMPRESS[coding](body));
}

/** Whether an `Accept-Encoding` names the coding, and not with a quality of zero. */
function accepts(header: string, coding: Coding): boolean {
  const parts = header.toLowerCase().split(",").map((part) => part.split(";").map((s) => s.trim()));
  const own = parts.find(([name]) => name === coding);
  return own !== undefined && !own.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
}
