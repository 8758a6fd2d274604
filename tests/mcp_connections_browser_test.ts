/** Connecting an MCP server in a real browser, across sites. */
import { assertMatch } from "@std/assert";
import { visit, withPage } from "./support/browser.ts";
import { openMcpTenant } from "./support/mcp_tenant.ts";
import { ownerContext } from "./support/owner.ts";

Deno.test("an editor goes from a tool to the provider and back, without leaving the policy of pages", async () => {
  // Another site than the dashboard's, so that cookies and policies apply as they do in real life.
  await using all = await openMcpTenant({ issuerHost: "localhost" });
  const { service, agent } = all;
  const options = { baseUrl: service.url, context: await ownerContext(service) };
  await withPage(options, async (page) => {
    await visit(page, `/agents/${agent.id}/tools`);
    await page.getByRole("button", { name: "Edit crm" }).click();
    await page.getByRole("link", { name: "Connect" }).click();
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    await page.getByText("names this authorization server").waitFor();
    await page.getByRole("button", { name: /^Continue to localhost/ }).click();
    await page.getByText("Tools of this server work from the next message on.").waitFor();
    assertMatch(page.url(), /\/settings\/mcp\?url=/);
    await visit(page, `/agents/${agent.id}/tools`);
    await page.getByRole("button", { name: "Edit crm" }).click();
    await page.getByText("Connected", { exact: true }).waitFor();
  });
});
