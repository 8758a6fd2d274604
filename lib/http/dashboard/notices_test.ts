import { assertEquals } from "@std/assert";
import { noticeText, withNotice } from "./notices.ts";

Deno.test("a notice travels by name, and unknown names say nothing", () => {
  const url = (path: string) => new URL(path, "http://localhost");
  assertEquals(noticeText(url(withNotice("/agents/1", "agent_saved"))), "Changes saved.");
  for (const name of ["", "toString", "<b>hello</b>"]) {
    assertEquals(noticeText(url(`/agents?notice=${encodeURIComponent(name)}`)), undefined);
  }
});
