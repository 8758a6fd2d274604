import { STRINGS } from "../strings.ts";
import { BubbleIcon } from "./icons.tsx";

export function Greeting({ text }: { readonly text: string }) {
  return (
    <div class="greeting">
      <span class="mark is-large" aria-hidden="true">
        <BubbleIcon />
      </span>
      <p class="greeting-text" dir="auto">{text}</p>
      <p class="greeting-hint">{STRINGS.greetingHint}</p>
    </div>
  );
}
