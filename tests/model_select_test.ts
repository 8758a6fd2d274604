/** The model picker of the agent form. */
import { assertEquals } from "@std/assert";
import { catalogueEntry } from "./support/chat.ts";
import { agentBody, TestService } from "./support/service.ts";
import { signedInCookie } from "./support/signed_in_cookie.ts";

Deno.test("/agents/:id/model: the picker offers each model once, the demo once, and nothing of unconnected providers", async () => {
  const env = { VENDOR_B_API_KEY: "sk-x", VENDOR_B_NAME: "Acme AI", DEMO_MODEL: "on" };
  await using service = await TestService.start({ env });
  const { agents, catalogue } = service.service;
  const prices = { inputUsdPerMTok: 1, outputUsdPerMTok: 5, contextTokens: 200_000 };
  await catalogue.addMissing([
    catalogueEntry({ vendor: "vendor_b", model: "large", ...prices }),
    catalogueEntry({ vendor: "vendor_c", model: "unreachable" }),
  ]);
  const cookie = await signedInCookie(service);
  const tenant = await service.tenant();
  const modelPolicy = { provider: "vendor_c" as const, model: "demo" };
  const { id } = await agents.create(tenant, { ...agentBody(), modelPolicy });
  const read = async () => {
    const html = await (await service.fetch(`/agents/${id}/model`, { headers: { cookie } })).text();
    const [select = ""] = /<select[^>]*name="model".*?<\/select>/s.exec(html) ?? [];
    const groups = [...select.matchAll(/<optgroup label="([^"]*)"/g)].map(([, label]) => label);
    const options = [...select.matchAll(/<option value="([^"]*)"( selected)?[^>]*>([^<]*)</g)]
      .map(([, value, selected, text]) => [value, selected !== undefined, text]);
    return { groups, options };
  };
  assertEquals(await read(), {
    groups: ["Acme AI", "Built in"],
    options: [
      ["vendor_b/large", false, "large (200K context, $$)"],
      ["vendor_c/demo", true, "Demo model (free)"],
    ],
  });
});
