import * as oauth from "oauth4webapi";
import type { Egress } from "../../egress/egress.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { oauthFetch } from "../mcp/oauth_fetch.ts";
import { type IdClaims, idClaimsSchema } from "./oidc_claims.ts";
import type { OidcConfig } from "./oidc_config.ts";
import { OidcError } from "./oidc_error.ts";
import { OidcKeys } from "./oidc_keys.ts";

const METADATA_MS = 3_600_000;
const LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout";
/** A logout token is sent when it is made. */
const LOGOUT_TOKEN_AGE = "5 minutes";
/** More than a token can be accepted for, with clocks that differ. */
const LOGOUT_TOKEN_AGE_MS = 10 * 60_000;

export interface OidcClientDeps {
  config: OidcConfig;
  egress: Pick<Egress, "fetch">;
  runtime: Pick<Runtime, "now">;
  /** Entries of `EGRESS_ALLOW` may be bound to it. */
  tenant: string;
  redirectUri: string;
}

export interface OidcTokenAnswer {
  claims: IdClaims | undefined;
  idToken: string | undefined;
  refreshToken: string | undefined;
  /** Seconds. */
  expiresIn: number | undefined;
}

export interface OidcAnswer {
  params: URLSearchParams;
  state: string;
  nonce: string;
  verifier: string;
}

/** A logout token that is valid, but may be a replay. */
export interface LogoutToken {
  issuer: string;
  jti: string;
  /** Milliseconds. */
  exp: number;
  subject: string | undefined;
  sid: string | undefined;
}

/** This service as a client of one provider. Every request passes the checks of egress. */
export class OidcClient {
  readonly #deps: OidcClientDeps;
  readonly #client: oauth.Client;
  readonly #auth: oauth.ClientAuth;
  readonly #keys: OidcKeys;
  #metadata: { at: number; server: oauth.AuthorizationServer } | undefined;

  constructor(deps: OidcClientDeps) {
    this.#deps = deps;
    const { clientId, clientSecret } = deps.config;
    const client: oauth.Client = { client_id: clientId, [oauth.clockTolerance]: 60 };
    this.#client = client;
    this.#auth = clientSecret === undefined ? oauth.None() : oauth.ClientSecretBasic(clientSecret);
    this.#keys = new OidcKeys(() => this.#loadKeys(), deps.runtime);
  }

  /** Whether an issuer is the configured one. Discovery compares them in the same way. */
  isIssuer(issuer: string): boolean {
    return URL.canParse(issuer) && new URL(issuer).href === new URL(this.#deps.config.issuer).href;
  }

  /** Where the browser signs in. With `again`, the provider asks for credentials in any case. */
  async authorizationUrl(
    { state, nonce, verifier, again }: Omit<OidcAnswer, "params"> & { again: boolean },
  ): Promise<string> {
    const server = await this.#server();
    const { clientId, scopes } = this.#deps.config;
    const url = new URL(server.authorization_endpoint!);
    const params = {
      ...{ response_type: "code", client_id: clientId, scope: scopes, state, nonce },
      redirect_uri: this.#deps.redirectUri,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      ...again && { prompt: "login", max_age: "0" },
    };
    for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
    return url.href;
  }

  /** Checks the answer of the authorization request, and exchanges its code. Throws `OidcError`. */
  async exchange({ params, state, nonce, verifier }: OidcAnswer): Promise<
    OidcTokenAnswer & { claims: IdClaims; idToken: string }
  > {
    const server = await this.#server();
    const valid = checked(() => oauth.validateAuthResponse(server, this.#now(), params, state));
    const response = await reached(() =>
      oauth.authorizationCodeGrantRequest(
        ...[server, this.#now(), this.#auth, valid, this.#deps.redirectUri, verifier] as const,
        this.#options(),
      )
    );
    const answer = await tokenAnswer(() =>
      oauth.processAuthorizationCodeResponse(server, this.#now(), response, {
        expectedNonce: nonce,
        requireIdToken: true,
      })
    );
    const idToken = answer.id_token!;
    const claims = await this.#verifyIdToken(idToken);
    return { ...toAnswer(answer), claims: await this.#withUserInfo(claims, answer), idToken };
  }

  /** Some providers give addresses and groups only there. The ID token has precedence. */
  async #withUserInfo(claims: IdClaims, answer: oauth.TokenEndpointResponse): Promise<IdClaims> {
    const server = await this.#server();
    const { roleClaim } = this.#deps.config;
    const isWhole = claims.email !== undefined && (!roleClaim || claims[roleClaim] !== undefined);
    if (isWhole || server.userinfo_endpoint === undefined) return claims;
    const response = await reached(() =>
      oauth.userInfoRequest(server, this.#now(), answer.access_token, this.#options())
    );
    // Of the same person, or it is rejected.
    const info = await verified(() =>
      oauth.processUserInfoResponse(server, this.#now(), claims.sub, response)
    );
    return idClaimsSchema.parse({ ...info, ...claims });
  }

  /** Throws `OidcError` `denied` if the provider ended the session, `provider` if it cannot be asked. */
  async refresh(refreshToken: string): Promise<OidcTokenAnswer> {
    const server = await this.#server();
    const response = await reached(async () => {
      const answer = await oauth.refreshTokenGrantRequest(
        ...[server, this.#now(), this.#auth, refreshToken, this.#options()] as const,
      );
      if (answer.status >= 500 || answer.status === 429) {
        throw new Error(`the token endpoint has the status ${answer.status}`);
      }
      return answer;
    });
    const answer = await tokenAnswer(() =>
      oauth.processRefreshTokenResponse(server, this.#now(), response)
    );
    const claims = answer.id_token === undefined
      ? undefined
      : await this.#verifyIdToken(answer.id_token);
    return { ...toAnswer(answer), claims };
  }

  /** Validates a logout token (OpenID Connect Back-Channel Logout 1.0, section 2.6), but for replays. */
  async verifyLogoutToken(token: string): Promise<LogoutToken> {
    const { issuer } = await this.#server();
    const payload = await verified(() =>
      this.#keys.verify(token, {
        issuer,
        audience: this.#deps.config.clientId,
        requiredClaims: ["iat", "jti", "exp", "events"],
        maxTokenAge: LOGOUT_TOKEN_AGE,
      })
    );
    const { events, jti, sub, sid, nonce } = payload as Record<string, unknown>;
    const event = isObject(events) ? events[LOGOUT_EVENT] : undefined;
    const subject = typeof sub === "string" ? sub : undefined;
    const session = typeof sid === "string" ? sid : undefined;
    const isValid = isObject(event) && nonce === undefined && typeof jti === "string" &&
      (subject !== undefined || session !== undefined);
    if (!isValid) throw new OidcError("invalid", { detail: "claims of a logout token" });
    // Its own expiry is the provider's choice; a token of this age is rejected for it.
    const exp = this.#deps.runtime.now() + LOGOUT_TOKEN_AGE_MS;
    return { issuer, jti, exp, subject, sid: session };
  }

  /** Where a browser signs out at the provider too; `undefined` if it has no such address. */
  async signOutUrl(idToken: string, returnTo: string): Promise<string | undefined> {
    const endpoint = (await this.#server()).end_session_endpoint;
    if (endpoint === undefined || !URL.canParse(endpoint)) return undefined;
    const url = new URL(endpoint);
    if (url.protocol !== "https:" && url.protocol !== "http:") return undefined;
    url.searchParams.set("id_token_hint", idToken);
    url.searchParams.set("client_id", this.#deps.config.clientId);
    url.searchParams.set("post_logout_redirect_uri", returnTo);
    return url.href;
  }

  async #verifyIdToken(idToken: string): Promise<IdClaims> {
    const { issuer } = await this.#server();
    const expected = { issuer, audience: this.#deps.config.clientId };
    const payload = await verified(() => this.#keys.verify(idToken, expected));
    const claims = idClaimsSchema.safeParse(payload);
    if (!claims.success) throw new OidcError("invalid", { detail: "claims of the ID token" });
    return claims.data;
  }

  async #server(): Promise<oauth.AuthorizationServer> {
    const now = this.#deps.runtime.now();
    if (this.#metadata && now - this.#metadata.at < METADATA_MS) return this.#metadata.server;
    const issuer = new URL(this.#deps.config.issuer);
    const response = await reached(() => oauth.discoveryRequest(issuer, this.#options()));
    const server = await reached(() => oauth.processDiscoveryResponse(issuer, response));
    const needed = [server.authorization_endpoint, server.token_endpoint, server.jwks_uri];
    if (!needed.every((url) => url !== undefined && /^https?:/.test(url) && URL.canParse(url))) {
      throw new OidcError("provider", { detail: "its discovery document is not complete" });
    }
    this.#metadata = { at: now, server };
    return server;
  }

  async #loadKeys(): Promise<unknown> {
    const server = await this.#server();
    return await reached(async () => {
      const response = await this.#fetch(server.jwks_uri!);
      if (response.status !== 200) throw new Error(`its keys have the status ${response.status}`);
      return await response.json();
    });
  }

  /** The library reads the system's clock. */
  #now(): oauth.Client {
    const skew = Math.round((this.#deps.runtime.now() - Date.now()) / 1_000);
    return { ...this.#client, [oauth.clockSkew]: skew };
  }

  /** Egress decides about plain http, not the library. */
  #options() {
    return { [oauth.customFetch]: this.#fetch, [oauth.allowInsecureRequests]: true } as const;
  }

  /** The issuer's document names the hosts. */
  readonly #fetch = (
    url: string,
    { method, headers, body }: {
      method?: string;
      headers?: Record<string, string>;
      body?: BodyInit | null | undefined;
    } = {},
  ): Promise<Response> => {
    const { egress, tenant } = this.#deps;
    const request = oauthFetch({ egress, tenant, hosts: [new URL(url).host] });
    return request(url, {
      ...method !== undefined && { method },
      ...headers !== undefined && { headers },
      ...body !== undefined && { body },
    });
  };
}

function toAnswer(answer: oauth.TokenEndpointResponse): Omit<OidcTokenAnswer, "claims"> {
  const { id_token: idToken, refresh_token: refreshToken, expires_in: expiresIn } = answer;
  return { idToken, refreshToken, expiresIn };
}

function checked<T>(check: () => T): T {
  try {
    return check();
  } catch (cause) {
    const isDenied = cause instanceof oauth.AuthorizationResponseError;
    throw new OidcError(isDenied ? "denied" : "invalid", { cause, detail: textOf(cause) });
  }
}

async function reached<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new OidcError("provider", { cause, detail: textOf(cause) });
  }
}

async function verified<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof OidcError) throw cause;
    throw new OidcError("invalid", { cause, detail: textOf(cause) });
  }
}

/** An error of the grant is the provider's decision; one of the client or the server is not. */
async function tokenAnswer<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof oauth.ResponseBodyError)) {
      throw new OidcError("invalid", { cause, detail: textOf(cause) });
    }
    const problem = cause.error === "invalid_grant" ? "denied" : "provider";
    throw new OidcError(problem, { cause, detail: cause.error.slice(0, 100) });
  }
}

/** Messages of the libraries hold no values of a provider. */
function textOf(cause: unknown): string {
  return cause instanceof Error ? cause.message.slice(0, 200) : "unknown";
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
