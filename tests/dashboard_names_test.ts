/** Names that people gave are shown as they are. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { ownerCookie } from "./support/owner.ts";
import { agentBody, TestService } from "./support/service.ts";

Deno.test("a name that is also a word of the dashboard is not translated", async () => {
  await using service = await TestService.start();
  const cookie = `${await ownerCookie(service)}; language=de`;
  const tenant = await service.tenant();
  const { agents, knowledge } = service.service;
  const agent = await agents.create(tenant, { ...agentBody(), name: "Settings" });
  const base = await knowledge.create(tenant, { name: "Delete" });
  const backOf = async (path: string) => {
    const html = await (await service.fetch(path, { headers: { cookie } })).text();
    assertStringIncludes(html, '<html lang="de"');
    return /class="back"[^>]*>.*?<\/svg>([^<]*)</s.exec(html)?.[1];
  };
  assertEquals(await backOf(`/agents/${agent.id}/delete`), "Settings");
  assertEquals(await backOf(`/knowledge/${base.id}/delete`), "Delete");
  assertEquals(await backOf("/team/invite"), "Team");
  assertEquals(await backOf("/agents/new"), "Agenten");
});
