import { Dashboard, SETUP_TOKEN } from "./dashboard.ts";
import { instantRuntime } from "./instant_runtime.ts";
import { OidcProvider } from "./oidc_provider.ts";
import { TestService } from "./service.ts";

/** A provider with one person, and a service whose owner has a password. */
export async function withOidcProvider(env: Record<string, string> = {}) {
  const stack = new AsyncDisposableStack();
  const provider = stack.use(await OidcProvider.start());
  const { runtime, advance } = instantRuntime(Date.now());
  const base = { SETUP_TOKEN, DEMO: "off", OIDC_DEFAULT_ROLE: "viewer" };
  const service = stack.use(
    await TestService.start({ runtime, env: { ...base, ...provider.env, ...env } }),
  );
  provider.register(service);
  provider.accounts.set("person-1", { email: "ada@example.com", email_verified: true });
  const owner = await Dashboard.setUp(service);
  return { stack, provider, service, owner, advance };
}

/** The values of the cookies that a response sets, as a `Cookie` header. */
export function cookieOf(response: Response, name: string): string {
  const cookies = response.headers.getSetCookie().map((header) => header.split(";", 1)[0]!);
  return cookies.find((cookie) => cookie.startsWith(`${name}=`)) ?? "";
}

export interface OidcParts {
  provider: OidcProvider;
  service: TestService;
}

/** Signs in like a browser. Returns the last response, and what the browser sent before it. */
export async function signInAtProvider(
  { provider, service }: OidcParts,
  { path = "/sign-in/oidc", cookie = "", jar = new Map<string, string>() } = {},
) {
  const started = await service.fetch(path, { headers: { cookie }, redirect: "manual" });
  await started.body?.cancel();
  const callback = await provider.visit(started.headers.get("location")!, jar);
  const cookies = [cookieOf(started, "oidc"), cookie].filter(Boolean).join("; ");
  const response = await service.fetch(callback.slice(service.url.length), {
    headers: { cookie: cookies },
    redirect: "manual",
  });
  await response.body?.cancel();
  return { response, callback, cookies, user: userOf(service, response) };
}

function userOf(service: TestService, response: Response): Dashboard {
  const user = new Dashboard(service);
  user.cookie = cookieOf(response, "dashboard");
  return user;
}

export async function statusOf(user: Dashboard, path = "/home"): Promise<number> {
  const response = await user.get(path);
  await response.body?.cancel();
  return response.status;
}

export async function members(service: TestService) {
  const all = await service.service.team.members(await service.tenant());
  return all.map(({ email, role }) => `${email} ${role}`);
}
