import { HttpError } from "fresh";
import { readForm } from "@/lib/dashboard/read_form.ts";
import { pageOfForm } from "@/lib/dashboard/sign_in/sign_in_redirect.ts";
import { parseLanguage, setLanguage } from "@/lib/dashboard/texts/request_language.ts";
import { define } from "@/utils.ts";

/** Sets the language of this browser and returns to the page. */
export const handler = define.handlers({
  async POST(ctx) {
    const { runtime, baseUrl } = ctx.state.service;
    const language = parseLanguage((await readForm(ctx.req, runtime)).get("language"));
    if (language === undefined) throw new HttpError(400);
    const hosts = [ctx.url.host, new URL(baseUrl).host];
    const response = ctx.redirect(pageOfForm(ctx.req.headers.get("referer"), hosts), 303);
    setLanguage(response.headers, language);
    return response;
  },
});
