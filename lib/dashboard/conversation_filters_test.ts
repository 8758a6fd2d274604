import { assertEquals } from "@std/assert";
import {
  conversationHref,
  conversationsHref,
  readConversationFilters,
  toConversationSearch,
} from "./conversation_filters.ts";

const AGENT = "3f2c8a51-7d0e-4b9a-9c34-5e6f7a8b9c0d";
const NONE = { agentId: "", from: "", to: "", finish: "", cost: "", source: "", rating: "", q: "" };

function read(query: string) {
  return readConversationFilters(new URL(`http://localhost/conversations${query}`));
}

Deno.test("readConversationFilters: ignores unknown values", () => {
  assertEquals(read(""), NONE);
  const wrong = "?agentId=me&from=2026-02-30&to=today&finish=bored&cost=1&source=fax&rating=5";
  assertEquals(read(wrong), NONE);
  const right = {
    agentId: AGENT,
    from: "2026-01-01",
    to: "2026-01-31",
    finish: "error",
    cost: "250000",
    source: "share",
    rating: "comment",
    q: "late parcel",
  };
  assertEquals(read(`?${new URLSearchParams(right)}`), right);
});

Deno.test("toConversationSearch: both days are inclusive, and blank filters are omitted", () => {
  assertEquals(
    Object.values(toConversationSearch(NONE)).filter((value) => value !== undefined),
    [],
  );
  const search = toConversationSearch({
    ...NONE,
    from: "2026-01-31",
    to: "2026-01-31",
    cost: "50000",
  });
  const start = Date.UTC(2026, 0, 31);
  assertEquals([search.from, search.to], [start, start + 86_400_000]);
  assertEquals(search.minCost, 50_000);
});

Deno.test("conversationsHref, conversationHref: URLs that give the same filters", () => {
  assertEquals(conversationsHref(NONE), "/conversations");
  const filters = { ...NONE, agentId: AGENT, finish: "error" };
  assertEquals(read(conversationsHref(filters, "next").replace("/conversations", "")), filters);
  const href = conversationHref(
    { id: AGENT, agentId: AGENT, origin: "https://a.example" },
    "/delete",
  );
  assertEquals(new URL(href, "http://localhost").searchParams.get("origin"), "https://a.example");
  assertEquals(new URL(href, "http://localhost").pathname, `/conversations/${AGENT}/delete`);
});
