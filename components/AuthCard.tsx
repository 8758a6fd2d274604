import type { ComponentChildren } from "preact";
import { Head } from "fresh/runtime";
import { Brand } from "./Brand.tsx";
import { t } from "@/lib/dashboard/texts/translate.ts";

/** A page for signed-out users: one card with one form. */
export function AuthCard(
  props: {
    title: string;
    text: ComponentChildren;
    /** See `PageHeader`. */
    titlePrefix?: string | undefined;
    children: ComponentChildren;
  },
) {
  return (
    <main class="auth">
      <Head>
        <title>
          {t("{value}{title} · Agent Chat", {
            value: props.titlePrefix ? `${props.titlePrefix} · ` : "",
            title: props.title,
          })}
        </title>
      </Head>
      <Brand />
      <div class="card auth-card">
        <h1>{props.title}</h1>
        <p class="lead">{props.text}</p>
        {props.children}
      </div>
    </main>
  );
}
