import { STRINGS } from "../strings.ts";

/** What there is to see before the first words, and while a tool is at work. */
export function Thinking({ usingTool }: { readonly usingTool: boolean }) {
  return (
    <div class="turn thinking">
      <div class="bubble">
        <span class="dots" aria-hidden="true">
          <i />
          <i />
          <i />
        </span>
        <span class={usingTool ? "" : "hidden"}>
          {usingTool ? STRINGS.working : STRINGS.thinking}
        </span>
      </div>
    </div>
  );
}
