import type { SeenRequest } from "./egress_server.ts";

const SECONDS = 3_600;

type MaybeResponse = Response | undefined;

interface Issued {
  clientId: string;
  resource: string | null;
  challenge: string | null;
  redirectUri: string | null;
}

export interface MockAuthorizationServerOptions {
  /** `https://auth.example.com` by default. */
  issuer?: string;
  /** Overrides of its metadata. */
  metadata?: Record<string, unknown>;
  /** Seconds that access tokens are valid; an hour by default. */
  expiresIn?: number;
  /** Another address, to which it redirects users to sign in. */
  signInUrl?: string;
}

/**
 * An OAuth 2.1 authorization server as a request handler. It demands PKCE, the redirect URI and the
 * resource of the request, rotates refresh tokens, and ends a grant whose refresh token comes twice.
 */
export class MockAuthorizationServer {
  readonly issuer: string;
  readonly metadata: Record<string, unknown>;
  readonly tokenRequests: URLSearchParams[] = [];
  readonly revoked: string[] = [];
  /** Every secret that it has issued. */
  readonly secrets: string[] = [];
  /** Answers a request for tokens instead, if it returns something. */
  onToken: (form: URLSearchParams) => MaybeResponse | Promise<MaybeResponse> = () => undefined;
  #expiresIn: number;
  #signInUrl: string | undefined;
  #drawn = 0;
  #clients = new Map<string, { redirectUris: string[]; secret?: string }>();
  #codes = new Map<string, Issued>();
  #refreshTokens = new Map<string, { grant: Issued; isUsed: boolean }>();
  #accessTokens = new Map<string, Issued>();

  constructor(options: MockAuthorizationServerOptions = {}) {
    this.issuer = options.issuer ?? "https://auth.example.com";
    this.#expiresIn = options.expiresIn ?? SECONDS;
    this.#signInUrl = options.signInUrl;
    this.metadata = {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      registration_endpoint: `${this.issuer}/register`,
      revocation_endpoint: `${this.issuer}/revoke`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none", "client_secret_basic"],
      authorization_response_iss_parameter_supported: true,
      ...options.metadata,
    };
  }

  /** A client that was registered by hand. */
  addClient(id: string, client: { redirectUris: string[]; secret?: string }): void {
    this.#clients.set(id, client);
  }

  isValid(token: string | undefined): boolean {
    return token !== undefined && this.#accessTokens.has(token);
  }

  resourceOf(token: string): string | null | undefined {
    return this.#accessTokens.get(token)?.resource;
  }

  /** Forgets access tokens, and refresh tokens too if `all`. */
  forget({ all = false } = {}): void {
    this.#accessTokens.clear();
    if (all) this.#refreshTokens.clear();
  }

  /** What a user's browser does at the authorization endpoint: returns where it is sent then. */
  authorize(href: string): string {
    const { searchParams: asked } = new URL(href);
    const clientId = asked.get("client_id") ?? "";
    const redirectUri = asked.get("redirect_uri") ?? "";
    const client = this.#clients.get(clientId);
    const isFine = client?.redirectUris.includes(redirectUri) &&
      asked.get("code_challenge_method") === "S256" && asked.get("response_type") === "code";
    if (!isFine) throw new Error(`a wrong authorization request: ${href}`);
    const code = this.#draw("code");
    const [challenge, resource] = [asked.get("code_challenge"), asked.get("resource")];
    this.#codes.set(code, { clientId, resource, challenge, redirectUri });
    const back = new URL(redirectUri);
    back.searchParams.set("code", code);
    back.searchParams.set("state", asked.get("state") ?? "");
    back.searchParams.set("iss", this.issuer);
    return back.href;
  }

  /** Answers requests to the issuer; `undefined` for any other. */
  async answer(seen: SeenRequest): Promise<Response | undefined> {
    if (!seen.url.startsWith(new URL(this.issuer).origin)) return undefined;
    const path = new URL(seen.url).pathname;
    const own = new URL(this.issuer).pathname.replace(/\/$/, "");
    switch (path) {
      case `/.well-known/oauth-authorization-server${own}`:
        return Response.json(this.metadata);
      case `${own}/authorize`:
        return Response.redirect(
          this.#signInUrl === undefined
            ? this.authorize(seen.url)
            : this.#signInUrl + new URL(seen.url).search,
        );
      case `${own}/register`:
        return this.#register(JSON.parse(seen.body));
      case `${own}/token`: {
        const form = new URLSearchParams(seen.body);
        this.tokenRequests.push(form);
        return await this.onToken(form) ?? await this.#token(form, seen.headers);
      }
      case `${own}/revoke`:
        this.revoked.push(new URLSearchParams(seen.body).get("token") ?? "");
        return new Response();
      default:
        return undefined;
    }
  }

  #register({ redirect_uris }: { redirect_uris: string[] }): Response {
    const id = this.#draw("client");
    this.#clients.set(id, { redirectUris: redirect_uris });
    const answer = { client_id: id, redirect_uris, token_endpoint_auth_method: "none" };
    return Response.json(answer, { status: 201 });
  }

  async #token(form: URLSearchParams, headers: Headers): Promise<Response> {
    const [basicId, basicSecret] = atob((headers.get("authorization") ?? "").slice(6)).split(":");
    const clientId = form.get("client_id") ?? basicId ?? "";
    const client = this.#clients.get(clientId);
    if (client === undefined || (client.secret ?? "") !== (basicSecret ?? "")) {
      return Response.json({ error: "invalid_client" }, { status: 401 });
    }
    const grant = await this.#grantOf(form, clientId);
    if (grant === undefined) return Response.json({ error: "invalid_grant" }, { status: 400 });
    return this.#issue(grant, form.get("grant_type") !== "client_credentials");
  }

  async #grantOf(form: URLSearchParams, clientId: string): Promise<Issued | undefined> {
    if (form.get("grant_type") === "client_credentials") {
      return { clientId, resource: form.get("resource"), challenge: null, redirectUri: null };
    }
    if (form.get("grant_type") === "refresh_token") {
      const known = this.#refreshTokens.get(form.get("refresh_token") ?? "");
      if (known?.isUsed) this.forget({ all: true });
      if (known === undefined || known.isUsed || known.grant.clientId !== clientId) {
        return undefined;
      }
      known.isUsed = true;
      return known.grant;
    }
    const code = form.get("code") ?? "";
    const grant = this.#codes.get(code);
    this.#codes.delete(code);
    const challenge = await toChallenge(form.get("code_verifier") ?? "");
    const isFine = grant?.clientId === clientId && grant.challenge === challenge &&
      grant.redirectUri === form.get("redirect_uri") && grant.resource === form.get("resource");
    return isFine ? grant : undefined;
  }

  #issue(grant: Issued, isRenewable: boolean): Response {
    const [access_token, refresh_token] = [this.#draw("access"), this.#draw("refresh")];
    this.#accessTokens.set(access_token, grant);
    if (isRenewable) this.#refreshTokens.set(refresh_token, { grant, isUsed: false });
    this.secrets.push(access_token, refresh_token);
    return Response.json({
      access_token,
      token_type: "Bearer",
      expires_in: this.#expiresIn,
      ...isRenewable && { refresh_token },
    });
  }

  #draw(kind: string): string {
    return `${kind}-${++this.#drawn}-of-${new URL(this.issuer).hostname}`;
  }
}

/** An MCP server that accepts only tokens of an authorization server that were issued for it. */
export function protectedMcp(
  authorizations: MockAuthorizationServer,
  { url, inner, metadata = {} }: {
    url: string;
    inner: (seen: SeenRequest) => Response | Promise<Response>;
    /** Overrides of its metadata. */
    metadata?: Record<string, unknown>;
  },
): (seen: SeenRequest) => Response | Promise<Response> {
  const { origin, pathname } = new URL(url);
  const described = `${origin}/.well-known/oauth-protected-resource${pathname}`;
  return (seen) => {
    if (seen.url === described) {
      const own = { resource: url, authorization_servers: [authorizations.issuer] };
      return Response.json({ ...own, ...metadata });
    }
    const token = seen.headers.get("authorization")?.replace(/^Bearer /, "");
    if (authorizations.isValid(token) && authorizations.resourceOf(token!) === url) {
      return inner(seen);
    }
    const challenge = `Bearer resource_metadata="${described}"`;
    return new Response(null, { status: 401, headers: { "www-authenticate": challenge } });
  };
}

async function toChallenge(verifier: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  return new Uint8Array(digest).toBase64({ alphabet: "base64url", omitPadding: true });
}
