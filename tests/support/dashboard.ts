import type { Role } from "@/lib/services/signed_in_user.ts";
import { addAuthenticatorApp } from "./second_factor.ts";
import type { TestService } from "./service.ts";

/** Roles of visitors; a `stranger` is not signed in. */
export type Visitor = Role | "operator" | "stranger";

export const PASSWORD = "correct horse battery";
export const SETUP_TOKEN = "a-token-of-the-operator";

/** A dashboard user without a browser: a cookie and submitted forms. */
export class Dashboard {
  readonly #service: TestService;
  cookie: string;

  constructor(service: TestService, cookieToken?: string) {
    this.#service = service;
    this.cookie = cookieToken === undefined ? "" : `dashboard=${cookieToken}`;
  }

  /**
   * The first owner, who is also an operator, with a second factor where operators need one. The service
   * needs `SETUP_TOKEN`.
   */
  static async setUp(service: TestService): Promise<Dashboard> {
    const account = { email: "operator@example.com", password: PASSWORD };
    const input = { token: SETUP_TOKEN, ...account, from: { address: "local" } };
    const cookieToken = cookieOf(await service.service.setup.complete(input));
    const user = await service.service.signIn.authenticate(cookieToken);
    if (user?.mustAddFactor) await addAuthenticatorApp(service, cookieToken);
    return new Dashboard(service, cookieToken);
  }

  /** A user who joined a tenant by invitation: `<role>@example.com` by default. */
  static async join(
    service: TestService,
    role: Role,
    { tenant, name = role }: { tenant?: string; name?: string } = {},
  ): Promise<Dashboard> {
    const { team } = service.service;
    const email = `${name}@example.com`;
    const invited = await team.invite(tenant ?? await service.tenant(), { email, role });
    if (!("token" in invited)) throw new Error(invited.rejected);
    return new Dashboard(service, cookieOf(await team.join(invited.token, PASSWORD)));
  }

  get(path: string): Promise<Response> {
    return this.#service.fetch(path, { headers: { cookie: this.cookie } });
  }

  /** Submits a form. */
  post(
    path: string,
    fields: Record<string, string> | [string, string][] = {},
    headers: Record<string, string> = {},
  ): Promise<Response> {
    return this.#service.fetch(path, {
      method: "POST",
      body: new URLSearchParams(fields),
      headers: { cookie: this.cookie, origin: this.#service.url, ...headers },
    });
  }

  /** Sends a request like a page's script. */
  send(path: string, json: unknown): Promise<Response> {
    const headers = { cookie: this.cookie, origin: this.#service.url };
    return this.#service.fetch(path, { method: "POST", json, headers });
  }

  /** Stores the cookie that a response sets. */
  keep(answer: Response): void {
    const [cookie] = answer.headers.getSetCookie();
    if (cookie !== undefined) this.cookie = cookie.split(";")[0]!;
  }
}

/** One visitor of each role on one service; the first is the operator. */
export async function visitors(service: TestService): Promise<Map<Visitor, Dashboard>> {
  const operator = await Dashboard.setUp(service);
  const all = new Map<Visitor, Dashboard>([
    ["operator", operator],
    ["stranger", new Dashboard(service)],
  ]);
  for (const role of ["owner", "admin", "viewer"] as const) {
    all.set(role, await Dashboard.join(service, role));
  }
  return all;
}

function cookieOf(result: { cookieToken: string } | { rejected: string }): string {
  if ("cookieToken" in result) return result.cookieToken;
  throw new Error(result.rejected);
}

/** The one-time link or key that a page shows. */
export async function requireText(answer: Response, pattern: RegExp): Promise<string> {
  const found = pattern.exec((await answer.text()).replaceAll("&amp;", "&"))?.[0];
  if (found === undefined) throw new Error(`nothing like ${pattern} in an answer ${answer.status}`);
  return found;
}
