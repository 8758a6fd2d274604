/** Attachments in the dashboard: the transcript, its files, the agent's and the model's settings. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { withPage } from "./support/browser.ts";
import { upload } from "./support/attachments.ts";
import { ended, openConversations } from "./support/conversations.ts";
import { Dashboard, SETUP_TOKEN } from "./support/dashboard.ts";
import { expectJson } from "./support/expect_response.ts";
import { makePng } from "./support/make_image.ts";
import { rewriteImage } from "@/lib/attachments/images/rewrite_image.ts";
import { onPage, ORIGIN, say } from "./support/widget_calls.ts";

async function open() {
  const fixture = await openConversations({ env: { SETUP_TOKEN } });
  const { service, key } = fixture;
  const agent = await service.agent(key, {
    allowedOrigins: [ORIGIN],
    attachments: { images: true, documents: true },
  });
  const sessionToken = await service.mint(key, agent.id, ORIGIN);
  const owner = await Dashboard.setUp(service);
  return { ...fixture, agent, sessionToken, owner };
}

Deno.test("/conversations/:id: shows an image as a thumbnail and a document as a link, with name and size", async () => {
  await using on = await open();
  const { service, agent, sessionToken, owner } = on;
  const image = await upload(service, { sessionToken }, {
    bytes: makePng(),
    name: "<b>cat.png",
  });
  const text = await upload(service, { sessionToken }, { bytes: "Hello", name: "notes.txt" });
  const messages = [{ ...say("Look"), attachments: [image.id, text.id] }];
  const { id } = await ended(await onPage(service, { agent, sessionToken, body: { messages } }));
  const page = await (await owner.get(`/conversations/${id}`)).text();
  const path = `/conversations/attachments/${image.id}`;
  const [, source = ""] = /<img src="(\/conversations[^"]*)"/.exec(page) ?? [];
  assertStringIncludes(source, path);
  assertStringIncludes(page, "&lt;b>cat.png");
  assertStringIncludes(page, `href="/conversations/attachments/${text.id}"`);
  assert(!page.includes(`<img src="/conversations/attachments/${text.id}"`));
  const file = await owner.get(source);
  assertEquals([file.status, file.headers.get("content-type")], [200, "image/png"]);
  assertEquals(file.headers.get("x-content-type-options"), "nosniff");
  const policy = "default-src 'none'; frame-ancestors 'none'; sandbox";
  assertEquals(file.headers.get("content-security-policy"), policy);
  assertEquals((await file.bytes()).length, image.bytes);
  const document = await owner.get(`/conversations/attachments/${text.id}`);
  assertStringIncludes(document.headers.get("content-disposition")!, "attachment; filename=");
  assertEquals(await document.text(), "Hello");
  const tenant = (await service.service.tenants.create("Other")).id;
  const stranger = await Dashboard.join(service, "owner", { tenant, name: "stranger" });
  assertEquals((await stranger.get(path)).status, 404);
  await (await owner.post(`/conversations/${id}/delete?agentId=${agent.id}`)).body?.cancel();
  assertEquals((await owner.get(path)).status, 404);
});

Deno.test("/agents/:id/model: sets which files messages may have; versions show the change", async () => {
  await using on = await open();
  const { service, key, owner } = on;
  const { id } = await service.agent(key);
  const read = async () =>
    (await expectJson(await service.fetch(`/v1/agents/${id}`, { key }), 200)).attachments;
  const save = async (attachments: string) => {
    const { version } = await (await service.fetch(`/v1/agents/${id}`, { key })).json();
    const fields = { attachments, version: String(version) };
    const response = await owner.post(`/agents/${id}/model`, fields);
    await response.body?.cancel();
    return response.status;
  };
  assertEquals([await save("images"), await read()], [303, { images: true }]);
  assertEquals(await save("images documents"), 303);
  assertEquals(await read(), { images: true, documents: true });
  const page = await (await owner.get(`/agents/${id}/model`)).text();
  assertStringIncludes(page, '<option value="images documents" selected');
  assertStringIncludes(await (await owner.get(`/agents/${id}/versions/2`)).text(), "Attachments");
  assertEquals([await save("everything"), await read()], [400, { images: true, documents: true }]);
  assertEquals([await save(""), await read()], [303, undefined]);
});

Deno.test("PATCH /v1/agents/:id: attachments are replaced, and null clears them", async () => {
  await using on = await open();
  const { service, key, agent } = on;
  const patch = async (attachments: unknown) => {
    const init = { method: "PATCH", key, json: { attachments } };
    return await (await service.fetch(`/v1/agents/${agent.id}`, init)).json();
  };
  assertEquals((await patch({ images: false })).attachments, { images: false });
  assertEquals((await patch(null)).attachments, undefined);
  assertEquals((await patch({ videos: true })).code, "schema_validation_failed");
});

Deno.test("/operator/models/model: stores whether a model reads images", async () => {
  await using on = await open();
  const { service, owner } = on;
  const fields = {
    ...{ vendor: "vendor_a", model: "seer", inputUsdPerMTok: "1", outputUsdPerMTok: "2" },
    ...{ contextTokens: "8000", maxOutputTokens: "1000" },
  };
  const visionOf = async () => (await service.service.catalogue.get("vendor_a", "seer"))?.vision;
  await (await owner.post("/operator/models/model", { ...fields, vision: "yes" })).body?.cancel();
  assertEquals(await visionOf(), true);
  const query = new URLSearchParams({ vendor: "vendor_a", model: "seer" });
  const page = await owner.get(`/operator/models/model?${query}`);
  assertStringIncludes(await page.text(), 'name="vision" value="yes" checked');
  await (await owner.post("/operator/models/model", fields)).body?.cancel();
  assertEquals(await visionOf(), undefined);
});

Deno.test("rewriteImage: pictures of a real browser keep every pixel", async () => {
  await withPage({}, async (page) => {
    for (const type of ["image/png", "image/jpeg", "image/webp"] as const) {
      const encoded = await page.evaluate((type) => {
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [97, 61];
        const context = canvas.getContext("2d")!;
        for (let n = 0; n < 97; n++) {
          context.fillStyle = `hsl(${n * 4} 80% 50% / ${type === "image/jpeg" ? 1 : n / 97})`;
          context.fillRect(n, 0, 1, 61);
        }
        return canvas.toDataURL(type, 0.9).split(",")[1]!;
      }, type);
      const original = Uint8Array.fromBase64(encoded);
      const { bytes, ...image } = rewriteImage(original, type);
      assertEquals(image, { mediaType: type, width: 97, height: 61 });
      const same = await page.evaluate(async ([type, before, after]) => {
        const pixels = await Promise.all([before, after].map(async (data) => {
          const picture = new Image();
          picture.src = `data:${type};base64,${data}`;
          await picture.decode();
          const canvas = document.createElement("canvas");
          [canvas.width, canvas.height] = [picture.width, picture.height];
          const context = canvas.getContext("2d")!;
          context.drawImage(picture, 0, 0);
          return context.getImageData(0, 0, picture.width, picture.height).data.join();
        }));
        return pixels[0] === pixels[1] && pixels[0]!.length > 1_000;
      }, [type, encoded, bytes.toBase64()] as const);
      assert(same, type);
    }
  });
});
