import { asset } from "fresh/runtime";
import { readTheme } from "@/lib/dashboard/theme.ts";
import { scriptTexts } from "@/lib/dashboard/texts/request_language.ts";
import { currentLanguage } from "@/lib/dashboard/texts/translate.ts";
import { define } from "@/utils.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

/**
 * `static/dashboard/*.css` in cascade order. They are not bundled: 17 KB, fetched in parallel and
 * cached until the next build, are not worth a build step.
 */
const STYLES = [
  "tokens",
  "base",
  "sidebar",
  "user_menu",
  "page",
  "buttons",
  "surfaces",
  "forms",
  "lists",
  "data_table",
  "empty",
  "editor",
  "tools",
  "playground",
  "knowledge",
  "versions",
  "embed",
  "setup",
  "models",
  "code",
  "dialog",
  "palette",
  "appearance",
  "auth",
  "admin",
  "reports",
  "usage",
  "charts",
  "conversations",
  "inbox",
  "handoff",
  "rehearsals",
  "adapt",
];

/** The document around every dashboard page. */
export default define.page(({ Component, req, state }) => {
  // For scripts, which have no translations of their own.
  const texts = scriptTexts();
  return (
    <html lang={currentLanguage()} data-theme={readTheme(req.headers)}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{t("Agent Chat")}</title>
        {texts !== undefined && <meta name="texts" content={JSON.stringify(texts)} />}
        <link rel="icon" href={asset("/favicon.svg")} type="image/svg+xml" />
        {STYLES.map((name) => (
          <link
            key={name}
            rel="stylesheet"
            href={asset(`/dashboard/${name}.css`)}
            nonce={state.styleNonce}
          />
        ))}
      </head>
      <body>
        <Component />
      </body>
    </html>
  );
});
