import { Dashboard, PASSWORD, SETUP_TOKEN } from "./dashboard.ts";
import { openTestKv } from "./open_kv.ts";
import { TestService } from "./service.ts";

export const ADA = "ada@example.com";

/** Two tenants with an owner each, and Ada, whose account is in the first. The clock is the test's. */
export async function openTwoTenants(env: Record<string, string> = {}) {
  const clock = { ms: Date.UTC(2026, 0, 5, 9) };
  const kv = await openTestKv();
  const service = await TestService.start({
    ...{ kv, env: { SETUP_TOKEN, DEMO: "off", ...env }, runtime: { now: () => clock.ms } },
  });
  const operator = await Dashboard.setUp(service);
  const { tenants } = service.service;
  const [home, away] = [(await tenants.create("Home")).id, (await tenants.create("Away")).id];
  const homeOwner = await Dashboard.join(service, "owner", { tenant: home, name: "home-owner" });
  const awayOwner = await Dashboard.join(service, "owner", { tenant: away, name: "away-owner" });
  const ada = await Dashboard.join(service, "admin", { tenant: home, name: "ada" });
  return { service, kv, clock, home, away, operator, homeOwner, awayOwner, ada };
}

/** An invitation of Ada to a tenant. */
export async function inviteAda(
  { service }: TestService,
  tenant: string,
  role: "owner" | "admin" | "viewer" = "viewer",
): Promise<string> {
  const invited = await service.team.invite(tenant, { email: ADA, role });
  if (!("token" in invited)) throw new Error(invited.rejected);
  return invited.token;
}

/** Ada joins with her account, and looks at the new tenant then. */
export async function joinAway(
  { service, away, ada }: Pick<
    Awaited<ReturnType<typeof openTwoTenants>>,
    "service" | "away" | "ada"
  >,
  role: "owner" | "admin" | "viewer" = "viewer",
): Promise<string> {
  const token = await inviteAda(service, away, role);
  const answer = await ada.post("/account/join", { token });
  await answer.body?.cancel();
  const place = `${answer.status} ${answer.headers.get("location")}`;
  if (place !== "303 /home?notice=tenant_joined") throw new Error(place);
  const member = (await service.service.team.members(away)).find(({ email }) => email === ADA);
  return member!.id;
}

/** Signs Ada in again, in a new browser. */
export async function signInAda({ service }: TestService): Promise<string> {
  const from = { address: "203.0.113.9" };
  const result = await service.signIn.signIn({ email: ADA, password: PASSWORD, from });
  if (!("cookieToken" in result)) throw new Error(result.rejected);
  return result.cookieToken;
}

/** The token in a cookie. */
export function tokenOf({ cookie }: Dashboard): string {
  return cookie.slice("dashboard=".length);
}
