import type { ComponentChildren } from "preact";
import { Head } from "fresh/runtime";
import { Brand } from "./Brand.tsx";

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
          {`${props.titlePrefix ? `${props.titlePrefix} · ` : ""}${props.title} · Agent Chat`}
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
