import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
// @ts-types="./oidc_server_types.d.ts"
import Provider from "oidc-provider";
import type { TestService } from "./service.ts";
import { followRedirects } from "./follow_redirects.ts";

export const CLIENT = { id: "agent-chat", secret: "a secret of the client for tests" };

export interface Account {
  email: string;
  email_verified: boolean;
  groups?: string[];
  /** How the person authenticated, as the ID token says (RFC 8176). */
  amr?: string[];
}

/** An OpenID provider by the library `oidc-provider`. Its user signs in and agrees without pages. */
export class OidcProvider implements AsyncDisposable {
  readonly issuer: string;
  readonly accounts = new Map<string, Account>();
  /** Who signs in next. */
  subject = "person-1";
  readonly #server: ReturnType<typeof createServer>;
  #provider: Provider | undefined;

  private constructor(server: ReturnType<typeof createServer>) {
    this.#server = server;
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on("request", (request, response) => this.#provider!.callback()(request, response));
  }

  static async start(): Promise<OidcProvider> {
    const server = createServer();
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    return new OidcProvider(server);
  }

  /** The environment of a service that signs in here. */
  get env(): Record<string, string> {
    return {
      OIDC_ISSUER: this.issuer,
      OIDC_CLIENT_ID: CLIENT.id,
      OIDC_CLIENT_SECRET: CLIENT.secret,
      EGRESS_ALLOW: new URL(this.issuer).host,
    };
  }

  /** Registers a service as client: for its installation, or for a tenant's own connection. */
  register({ url }: Pick<TestService, "url">, tenant?: string): void {
    this.#provider = createProvider(this, { url, place: tenant === undefined ? "" : `/${tenant}` });
  }

  /** Follows redirects at this provider like a browser, until they leave it. */
  visit(href: string, cookies = new Map<string, string>()): Promise<string> {
    return followRedirects(href, { within: this.issuer, cookies });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }
}

function createProvider(
  owner: OidcProvider,
  { url, place }: { url: string; place: string },
): Provider {
  const provider = new Provider(owner.issuer, {
    clients: [{
      client_id: CLIENT.id,
      client_secret: CLIENT.secret,
      grant_types: ["authorization_code", "refresh_token"],
      redirect_uris: [`${url}/sign-in/oidc/callback${place}`],
      post_logout_redirect_uris: [`${url}/sign-in`],
      backchannel_logout_uri: `${url}/sign-in/oidc/back-channel-logout${place}`,
      backchannel_logout_session_required: true,
    }],
    claims: { openid: ["sub", "groups", "amr"], email: ["email", "email_verified"], profile: [] },
    conformIdTokenClaims: false,
    cookies: { keys: ["a key for the cookies of tests"] },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: () => true,
    ttl: { IdToken: 86_400, AccessToken: 600 },
    findAccount: (_context: unknown, accountId: string) => {
      const account = owner.accounts.get(accountId);
      return account && { accountId, claims: () => ({ sub: accountId, ...account }) };
    },
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (context: { body: string }, form: string) => {
          context.body = `<body>${form}<button form="op.logoutForm" name="logout" value="yes">` +
            "Sign out</button></body>";
        },
      },
    },
  });
  provider.use(async (context, next) => {
    if (!context.path.startsWith("/interaction/")) return await next();
    const { req, res } = context;
    const { prompt, params, session } = await provider.interactionDetails(req, res);
    if (prompt.name === "login") {
      const amr = owner.accounts.get(owner.subject)?.amr;
      const login = { accountId: owner.subject, ...amr && { amr } };
      return await provider.interactionFinished(req, res, { login });
    }
    const grant = new provider.Grant({
      accountId: session!.accountId,
      clientId: params.client_id,
    });
    grant.addOIDCScope("openid email profile");
    await provider.interactionFinished(req, res, { consent: { grantId: await grant.save() } });
  });
  return provider;
}
