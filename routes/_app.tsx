import { asset } from "fresh/runtime";
import { define } from "@/utils.ts";

/** The document around every dashboard page. */
export default define.page(({ Component }) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="robots" content="noindex" />
      <title>Agent Chat</title>
      <link rel="icon" href={asset("/favicon.svg")} type="image/svg+xml" />
      <link rel="stylesheet" href={asset("/dashboard.css")} />
    </head>
    <body>
      <Component />
    </body>
  </html>
));
