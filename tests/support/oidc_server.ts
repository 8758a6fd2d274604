import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
// @ts-types="./oidc_server_types.d.ts"
import Provider from "oidc-provider";
import { followRedirects } from "./follow_redirects.ts";

/** An account that signs in and agrees by itself. */
const ACCOUNT = "admin";
const SCOPES = ["openid", "offline_access", "tools"];

/**
 * An authorization server by the library `oidc-provider`: OpenID Connect with registration, PKCE,
 * resource indicators, rotation and revocation. Its user signs in and agrees without pages.
 */
export class OidcServer implements AsyncDisposable {
  readonly issuer: string;
  readonly #provider: Provider;
  readonly #server: ReturnType<typeof createServer>;

  private constructor(server: ReturnType<typeof createServer>, resource: string) {
    this.#server = server;
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.#provider = createProvider(this.issuer, resource);
    server.on("request", this.#provider.callback());
  }

  /** `resource` is the URL of the only server that tokens are issued for. */
  static async start(resource: string): Promise<OidcServer> {
    const server = createServer();
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    return new OidcServer(server, resource);
  }

  /** Follows the redirects of an authorization request like a browser, until they leave the server. */
  authorize(href: string): Promise<string> {
    return followRedirects(href, { within: this.issuer });
  }

  /** Whether it issued the token for this resource, and the token is still valid. */
  async isValid(token: string | undefined, resource: string): Promise<boolean> {
    const found = token === undefined ? undefined : await this.#provider.AccessToken.find(token);
    return found !== undefined && [found.aud].flat().includes(resource);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }
}

function createProvider(issuer: string, resource: string): Provider {
  const provider = new Provider(issuer, {
    scopes: SCOPES,
    cookies: { keys: ["a key for the cookies of tests"] },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    findAccount: (_context: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId }),
    }),
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context: unknown, resource: string) => ({
          audience: resource,
          scope: SCOPES.join(" "),
          accessTokenFormat: "opaque",
          accessTokenTTL: 3_600,
        }),
      },
    },
  });
  provider.use(async (context, next) => {
    if (!context.path.startsWith("/interaction/")) return await next();
    const { req, res } = context;
    const { prompt, params, session } = await provider.interactionDetails(req, res);
    if (prompt.name === "login") {
      return await provider.interactionFinished(req, res, { login: { accountId: ACCOUNT } });
    }
    const of = { accountId: session!.accountId, clientId: params.client_id };
    const grant = new provider.Grant(of);
    grant.addOIDCScope(SCOPES.join(" "));
    grant.addResourceScope(resource, SCOPES.join(" "));
    await provider.interactionFinished(req, res, { consent: { grantId: await grant.save() } });
  });
  return provider;
}
