import { STRINGS } from "../strings.ts";
import { BubbleIcon } from "./icons.tsx";

export function Greeting({ text }: { readonly text: string }) {
  return (
    <div class="greeting">
      <span class="mark is-large" aria-hidden="true">
        <BubbleIcon />
      </span>
      <p class="greeting-text">
        <bdi>{text}</bdi>
      </p>
      <p class="greeting-hint">{STRINGS.greetingHint}</p>
    </div>
  );
}
