import { exportJWK, generateKeyPair, SignJWT } from "jose";

const CLIENT_ID = "agent-chat";
const LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout";

type Claims = Record<string, unknown>;

/** An issuer that answers whatever a test says, for what an honest one never does. */
export class OidcIssuer implements AsyncDisposable {
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  #pair!: { kid: string; publicJwk: Claims; privateKey: CryptoKey };
  /** Changes of the claims of the next ID token. */
  claims: Claims = {};
  /** Makes the ID token instead. */
  makeToken: ((claims: Claims) => string | Promise<string>) | undefined;
  /** Changes of the discovery document. */
  metadata: Claims = {};

  private constructor() {
    this.#server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen: () => {} },
      (request) => this.#answer(request),
    );
  }

  static async start(): Promise<OidcIssuer> {
    const issuer = new OidcIssuer();
    await issuer.rotate();
    return issuer;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  get env(): Record<string, string> {
    return {
      ...{ OIDC_ISSUER: this.url, OIDC_CLIENT_ID: CLIENT_ID, OIDC_CLIENT_SECRET: "a secret" },
      ...{ EGRESS_ALLOW: new URL(this.url).host, OIDC_DEFAULT_ROLE: "viewer" },
    };
  }

  /** Replaces the only key. */
  async rotate(): Promise<void> {
    const { publicKey, privateKey } = await generateKeyPair("ES256");
    const kid = crypto.randomUUID();
    this.#pair = {
      kid,
      publicJwk: { ...await exportJWK(publicKey), kid, alg: "ES256" },
      privateKey,
    };
  }

  sign(claims: Claims, typ = "JWT"): Promise<string> {
    const { kid, privateKey } = this.#pair;
    return new SignJWT(claims).setProtectedHeader({ alg: "ES256", kid, typ }).sign(privateKey);
  }

  /** A valid logout token with changes. */
  logoutToken(changes: Claims = {}): Promise<string> {
    const now = Math.floor(Date.now() / 1_000);
    return this.sign({
      ...{ iss: this.url, aud: CLIENT_ID, iat: now, exp: now + 120, jti: crypto.randomUUID() },
      ...{ sub: "person-1", events: { [LOGOUT_EVENT]: {} } },
      ...changes,
    }, "logout+jwt");
  }

  /** The answer to an authorization request, as query of the callback. */
  authorize(href: string, changes: Record<string, string> = {}): string {
    const request = new URL(href).searchParams;
    this.#nonce = request.get("nonce")!;
    const answer = { code: "a-code", state: request.get("state")!, iss: this.url, ...changes };
    return `/sign-in/oidc/callback?${new URLSearchParams(answer)}`;
  }

  #nonce = "";

  async #answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === "/.well-known/openid-configuration") return Response.json(this.#document());
    if (pathname === "/jwks") return Response.json({ keys: [this.#pair.publicJwk] });
    await request.body?.cancel();
    const now = Math.floor(Date.now() / 1_000);
    const claims = {
      ...{ iss: this.url, aud: CLIENT_ID, sub: "person-1", iat: now, exp: now + 300 },
      ...{ nonce: this.#nonce, email: "ada@example.com", email_verified: true, sid: "session-1" },
      ...this.claims,
    };
    const token = await (this.makeToken ?? ((all: Claims) => this.sign(all)))(claims);
    return Response.json({ access_token: "x", token_type: "Bearer", id_token: token });
  }

  #document(): Claims {
    return {
      issuer: this.url,
      authorization_endpoint: `${this.url}/authorize`,
      token_endpoint: `${this.url}/token`,
      jwks_uri: `${this.url}/jwks`,
      authorization_response_iss_parameter_supported: true,
      id_token_signing_alg_values_supported: ["ES256"],
      ...this.metadata,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}
