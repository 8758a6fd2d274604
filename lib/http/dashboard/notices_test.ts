import { assertEquals } from "@std/assert";
import { noticeAt, withNotice } from "./notices.ts";

const url = (path: string) => new URL(path, "http://localhost");

Deno.test("a notice travels by name, and unknown names say nothing", () => {
  const saved = { kind: "done", text: "Changes saved." } as const;
  assertEquals(noticeAt(url(withNotice("/agents/1", "agent_saved"))), saved);
  for (const name of ["", "toString", "<b>hello</b>"]) {
    assertEquals(noticeAt(url(`/agents?notice=${encodeURIComponent(name)}`)), undefined);
  }
});

Deno.test("what was not made a second time is no success", () => {
  for (const name of ["key_made_before", "link_made_before", "tenant_made_before"] as const) {
    assertEquals(noticeAt(url(withNotice("/team", name)))?.kind, "warning");
  }
});
