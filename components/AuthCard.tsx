import type { ComponentChildren } from "preact";
import { Head } from "fresh/runtime";
import { Brand } from "./Brand.tsx";

/** The page of somebody who is not signed in: one card, one form. */
export function AuthCard(
  props: {
    title: string;
    text: ComponentChildren;
    /** As of a `PageHeader`. */
    refused?: string | undefined;
    children: ComponentChildren;
  },
) {
  return (
    <main class="auth">
      <Head>
        <title>{`${props.refused ? `${props.refused} · ` : ""}${props.title} · Agent Chat`}</title>
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
