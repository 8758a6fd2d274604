/** Forms that show a key or link once: reloading the result resubmits the form and creates nothing. */
import { assertEquals, assertMatch } from "@std/assert";
import { Dashboard, SETUP_TOKEN } from "./support/dashboard.ts";
import { TestService } from "./support/service.ts";

async function open() {
  const service = await TestService.start({ env: { SETUP_TOKEN } });
  const owner = await Dashboard.setUp(service);
  /** The double-submit token of a page's form. */
  const formToken = async (path: string) => {
    const html = await (await owner.get(path)).text();
    return /name="once" value="([^"]+)"/.exec(html)![1]!;
  };
  /** Submits a form twice, as a reload would, and returns where the second is redirected. */
  const submitTwice = async (path: string, fields: [string, string][], page = path) => {
    const form: [string, string][] = [...fields, ["once", await formToken(page)]];
    const first = await owner.post(path, form);
    assertEquals(first.status, 201, path);
    await first.body?.cancel();
    const second = await owner.post(path, form);
    assertEquals(second.status, 303, path);
    return second.headers.get("location");
  };
  return { service, owner, formToken, submitTwice };
}

Deno.test("a form that shows a secret or link once creates it once, however often it is submitted", async () => {
  const { service, owner, submitTwice } = await open();
  await using _ = service;
  const { apiKeys, audit, tenants } = service.service;
  const tenant = await service.tenant();
  const newKey: [string, string][] = [["name", "Shop"], ["scopes", "agents:read"]];
  assertEquals(await submitTwice("/api-keys/new", newKey), "/api-keys?notice=key_made_before");
  // The dialog on the list page has a separate token.
  assertEquals(
    await submitTwice("/api-keys/new", newKey, "/api-keys"),
    "/api-keys?notice=key_made_before",
  );
  const [apiKey, ...others] = await apiKeys.list(tenant);
  assertEquals(others.length, 1);
  const rotate = `/api-keys/${apiKey!.id}/rotate`;
  assertEquals(await submitTwice(rotate, [["hours", "0"]]), "/api-keys?notice=key_rotated_before");
  const invite: [string, string][] = [["email", "new@example.com"], ["role", "viewer"]];
  assertEquals(await submitTwice("/team/invite", invite), "/team?notice=link_made_before");
  await Dashboard.join(service, "viewer");
  const members = await service.service.team.members(tenant);
  const member = members.find(({ email }) => email === "viewer@example.com")!;
  assertEquals(await submitTwice(`/team/${member.id}/reset`, []), "/team?notice=link_made_before");
  const newTenant: [string, string][] = [["name", "Other"], ["email", "o@example.com"]];
  const toTenants = "/operator/tenants?notice=tenant_made_before";
  assertEquals(await submitTwice("/operator/tenants/new", newTenant), toTenants);
  assertEquals((await tenants.list()).length, 2);
  const { data } = await audit.list(tenant, { limit: 100 });
  const actions = data.map(({ kind, action }) => `${kind} ${action}`);
  assertEquals(actions.filter((one) => one.includes("rotate")).length, 1);
  assertEquals(actions.filter((one) => one.includes("reset link")).length, 1);
  assertMatch(
    await (await owner.get("/team?notice=link_made_before")).text(),
    /was already created/,
  );
});

Deno.test("a form that was rejected or has since changed may be submitted with the same token", async () => {
  const { service, owner, formToken } = await open();
  await using _ = service;
  const once = await formToken("/team/invite");
  const invite = async (email: string) => {
    const { status, body } = await owner.post("/team/invite", { email, role: "viewer", once });
    await body?.cancel();
    return status;
  };
  assertEquals(await invite("operator@example.com"), 400);
  assertEquals(await invite("operator@example.com"), 400);
  assertEquals(await invite("new@example.com"), 201);
  assertEquals(await invite("another@example.com"), 201);
});
