import { verifyDpopProof } from "../platform/crypto/dpop_proof.ts";
import type { SessionCredential } from "../services/session_service.ts";

/** A request is verified once, also when the transaction that authenticates it is repeated. */
const credentials = new WeakMap<Request, SessionCredential>();

/** The session token of a request and its proof, if it has one; `undefined` without a token. */
export function readSessionCredential(req: Request): SessionCredential | undefined {
  const token = req.headers.get("x-service-session");
  if (token === null) return undefined;
  const known = credentials.get(req);
  if (known !== undefined) return known;
  const credential = { token, isBrowser: isBrowser(req), verifyProof: proofVerifier(req, token) };
  credentials.set(req, credential);
  return credential;
}

function proofVerifier(req: Request, token: string): SessionCredential["verifyProof"] {
  const header = req.headers.get("dpop");
  if (header === null) return undefined;
  const { method } = req;
  const { pathname: path } = new URL(req.url);
  let verified: ReturnType<typeof verifyDpopProof> | undefined;
  return () => verified ??= verifyDpopProof(header, { method, path, token });
}

function isBrowser({ headers }: Request): boolean {
  return headers.has("origin") || headers.has("sec-fetch-site");
}
