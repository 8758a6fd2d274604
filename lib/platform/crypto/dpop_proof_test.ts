import { assert, assertEquals } from "@std/assert";
import { encodeJson, ProofKey, type ProofOf } from "@/tests/support/proofs.ts";
import { MAX_PROOF_LENGTH, verifyDpopProof } from "./dpop_proof.ts";
import { base64url, sha256 } from "./signer.ts";

const PATH = "/v1/chat/stream";
const TOKEN = "cs_token";
const REQUEST = { method: "POST", path: PATH, token: TOKEN };
const PROOF: ProofOf = { method: "POST", url: PATH, token: TOKEN, nonce: "n" };
const key = await ProofKey.create();

const verify = async (change: Partial<ProofOf>) =>
  await verifyDpopProof(await key.sign({ ...PROOF, ...change }), REQUEST);

Deno.test("verifyDpopProof: a valid proof has the thumbprint of its key, its nonce and a digest of its id", async () => {
  const claims = { jti: "one" };
  assertEquals(await verify({ claims }), {
    jkt: await key.jkt(),
    jti: (await sha256("one")).slice(0, 22),
    nonce: "n",
  });
  assertEquals((await verify({ nonce: undefined }))?.nonce, undefined);
});

Deno.test("verifyDpopProof: iat may be any time, and a proxy may change host, scheme, query and a prefix of the path", async () => {
  for (const iat of [0, -1, 1e12, 1.5]) assert(await verify({ claims: { iat } }), String(iat));
  for (
    const base of ["http://127.0.0.1:8000", "https://other.example", "https://shop.example/chat"]
  ) {
    assert(await verify({ url: `${base}${PATH}` }), base);
  }
  assert(await verify({ claims: { htu: `https://x.example${PATH}?wait=1#a` } }));
});

Deno.test("verifyDpopProof: a proof for another request is rejected", async () => {
  const changes: Record<string, Partial<ProofOf>> = {
    "another path": { url: "/v1/chat/limits" },
    "a longer path": { url: `${PATH}/` },
    "another path behind a prefix": { url: "/chat/v1/chat/limits" },
    "the path in a query": { claims: { htu: `https://x.example/?${PATH}` } },
    "the path in a fragment": { claims: { htu: `https://x.example/#${PATH}` } },
    "no URL": { claims: { htu: PATH } },
    "another scheme": { claims: { htu: `ftp://x.example${PATH}` } },
    "another method": { method: "GET" },
    "a method in lower case": { method: "post" },
    "another token": { token: "cs_other" },
    "the token itself": { claims: { ath: TOKEN } },
  };
  for (const [name, change] of Object.entries(changes)) {
    assertEquals(await verify(change), undefined, name);
  }
});

Deno.test("verifyDpopProof: a claim that is missing or of another type is rejected", async () => {
  for (const claim of ["htm", "htu", "iat", "jti", "ath"]) {
    for (const value of [undefined, null, "", {}, [], true, "x".repeat(513)]) {
      assertEquals(await verify({ claims: { [claim]: value } }), undefined, `${claim} ${value}`);
    }
  }
  for (const nonce of [null, "", 1, {}]) {
    assertEquals(await verify({ claims: { nonce } }), undefined, `nonce ${nonce}`);
  }
  assertEquals(await verify({ claims: { iat: "1" } }), undefined);
});

Deno.test("verifyDpopProof: another type, algorithm or parameter in the header is rejected", async () => {
  const headers: Record<string, unknown>[] = [
    ...["JWT", "DPOP+JWT", undefined].map((typ) => ({ typ })),
    ...["none", "HS256", "ES384", "ES256K", "RS256", "es256", undefined].map((alg) => ({ alg })),
    ...[{ kid: "1" }, { crit: ["exp"] }, { jku: "https://x.example" }, { jwk: undefined }],
  ];
  for (const header of headers) {
    assertEquals(await verify({ header }), undefined, JSON.stringify(header));
  }
});

Deno.test("verifyDpopProof: a key that is no public P-256 key is rejected", async () => {
  const { x, y } = key.jwk;
  const other = (await ProofKey.create()).jwk;
  const jwks: Record<string, unknown> = {
    "the private part": { ...key.jwk, d: (await key.privateJwk()).d },
    "another member": { ...key.jwk, kid: "1" },
    "another key": other,
    "a point that is not on the curve": { ...key.jwk, y: x },
    "half of another point": { ...key.jwk, y: other.y },
    "the point at infinity": { ...key.jwk, x: "A".repeat(43), y: "A".repeat(43) },
    "a long coordinate": { ...key.jwk, x: `AA${x}` },
    "a short coordinate": { ...key.jwk, x: x.slice(0, 42) },
    "another encoding": { ...key.jwk, y: `${y}=` },
    "P-384": { ...key.jwk, crv: "P-384" },
    "secp256k1": { ...key.jwk, crv: "secp256k1" },
    "Ed25519": { kty: "OKP", crv: "Ed25519", x },
    "RSA": { kty: "RSA", n: x, e: "AQAB" },
    "a secret": { kty: "oct", k: x },
    "text": "key",
    "a list": [key.jwk],
    "nothing": null,
  };
  for (const [name, jwk] of Object.entries(jwks)) {
    assertEquals(await verify({ header: { jwk } }), undefined, name);
  }
});

Deno.test("verifyDpopProof: genuine keys of other curves and RSA do not sign proofs", async () => {
  const kinds: [RsaHashedKeyGenParams | EcKeyGenParams, AlgorithmIdentifier | EcdsaParams][] = [
    [{ name: "ECDSA", namedCurve: "P-384" }, { name: "ECDSA", hash: "SHA-256" } as EcdsaParams],
    [{
      name: "RSASSA-PKCS1-v1_5",
      modulusLength: 2048,
      publicExponent: new Uint8Array([1, 0, 1]),
      hash: "SHA-256",
    }, "RSASSA-PKCS1-v1_5"],
  ];
  for (const [kind, how] of kinds) {
    const pair = await crypto.subtle.generateKey(kind, true, ["sign", "verify"]);
    const jwk = await crypto.subtle.exportKey("jwk", pair.publicKey);
    for (const alg of ["ES256", "RS256", "ES384"]) {
      const unsigned = (await key.sign({ ...PROOF, header: { alg, jwk } })).replace(/\.[^.]*$/, "");
      const bytes = new TextEncoder().encode(unsigned);
      const signature = base64url(await crypto.subtle.sign(how, pair.privateKey, bytes));
      assertEquals(await verifyDpopProof(`${unsigned}.${signature}`, REQUEST), undefined, alg);
    }
  }
});

Deno.test("verifyDpopProof: no signature, and an HMAC with the public key as secret, are rejected", async () => {
  const { jwk } = key;
  const secrets = [JSON.stringify(jwk), jwk.x, jwk.x + jwk.y];
  const claims = (await key.sign(PROOF)).split(".")[1];
  for (const alg of ["none", "HS256", "ES256"]) {
    const text = `${encodeJson({ typ: "dpop+jwt", alg, jwk })}.${claims}`;
    assertEquals(await verifyDpopProof(`${text}.`, REQUEST), undefined);
    assertEquals(await verifyDpopProof(`${text}.${"A".repeat(86)}`, REQUEST), undefined);
    for (const secret of secrets) {
      const hmac = { name: "HMAC", hash: "SHA-256" };
      const raw = new TextEncoder().encode(secret);
      const imported = await crypto.subtle.importKey("raw", raw, hmac, false, ["sign"]);
      const mac = await crypto.subtle.sign("HMAC", imported, new TextEncoder().encode(text));
      assertEquals(await verifyDpopProof(`${text}.${base64url(mac)}`, REQUEST), undefined);
    }
  }
});

Deno.test("verifyDpopProof: a proof has one length, one form and one header", async () => {
  const proof = await key.sign(PROOF);
  const long = await key.sign({ ...PROOF, claims: { more: "x".repeat(MAX_PROOF_LENGTH) } });
  const most = await key.sign({ ...PROOF, claims: { more: "x".repeat(2_000) } });
  assert(await verifyDpopProof(most, REQUEST), "unknown claims are ignored");
  const broken = [
    ...["", ".", "..", "a.b.c", long, `${proof}, ${proof}`, `${proof},${proof}`, `${proof} `],
    ...[` ${proof}`, `${proof}.x`, `DPoP ${proof}`, proof.slice(0, -1), `${proof}AA`, `${proof}=`],
    ...[proof.replace(".", ".."), proof.replace("-", "+"), proof.toUpperCase()],
  ].filter((text) => text !== proof);
  for (const text of broken) assertEquals(await verifyDpopProof(text, REQUEST), undefined, text);
  // Signed all the same, but not JSON objects in UTF-8.
  const [header = "", claims = ""] = proof.split(".");
  const notUtf8 = base64url(new Uint8Array([0x7b, 0xff, 0x7d]));
  for (
    const odd of [
      notUtf8,
      encodeJson([]),
      encodeJson(null),
      encodeJson("x"),
      base64url(new Uint8Array([1])),
    ]
  ) {
    assertEquals(await verifyDpopProof(await key.signText(`${odd}.${claims}`), REQUEST), undefined);
    assertEquals(await verifyDpopProof(await key.signText(`${header}.${odd}`), REQUEST), undefined);
  }
});

Deno.test("verifyDpopProof: no change of a character passes, and nothing makes it throw", async () => {
  const proof = await key.sign(PROOF);
  const alphabet = "Aa0-_. =\u0000é";
  let seed = 1;
  const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
  for (let n = 0; n < 1_500; n++) {
    const at = random(proof.length);
    const cut = random(4) === 0 ? random(proof.length) : 1;
    const put = random(3) === 0 ? "" : alphabet[random(alphabet.length)]!;
    const changed = proof.slice(0, at) + put + proof.slice(at + cut);
    const verified = await verifyDpopProof(changed, REQUEST);
    if (changed === proof) continue;
    // The last character of a signature has unused bits: a second way to write the same signature.
    if (at === proof.length - 1 && changed.length === proof.length) continue;
    assertEquals(verified, undefined, changed);
  }
});
