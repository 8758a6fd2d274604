import { assertEquals } from "@std/assert";
import { loadAppearance, withAppearance } from "./appearance.ts";

const read = (attributes: Record<string, string>) => (name: string) => attributes[name] ?? null;

Deno.test("withAppearance: attributes win, even empty ones; lists and names are those of attributes", () => {
  const appearance = {
    title: "Shop",
    accent: "#112233",
    suggestions: ["One", "Two"],
    privacyUrl: "https://shop.example/",
  };
  const both = withAppearance(read({ "data-title": "Help", "data-accent": "" }), appearance);
  assertEquals(both("data-title"), "Help");
  assertEquals(both("data-accent"), "");
  assertEquals(both("data-suggestions"), "One|Two");
  assertEquals(both("data-privacy-url"), "https://shop.example/");
  assertEquals(both("data-greeting"), null);
  assertEquals(both("data-constructor"), null);
});

Deno.test("loadAppearance: what cannot be read is unknown, never an error", async () => {
  const load = (fetcher: typeof fetch) =>
    loadAppearance({ apiBase: "https://chat.example", agentId: "a", fetcher });
  const asked: unknown[] = [];
  const found = await load((url) => {
    asked.push(url);
    return Promise.resolve(Response.json({ title: "Shop" }));
  });
  assertEquals([found, asked], [{ title: "Shop" }, [
    "https://chat.example/widget/a/appearance.json",
  ]]);
  for (
    const answer of [
      () => Promise.resolve(new Response("{}", { status: 404 })),
      () => Promise.resolve(new Response("<html>")),
      () => Promise.reject(new TypeError("offline")),
    ]
  ) assertEquals(await load(answer), undefined);
});
