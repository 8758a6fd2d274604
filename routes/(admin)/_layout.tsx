import { Sidebar } from "@/components/Sidebar.tsx";
import LocalTimes from "@/islands/LocalTimes.tsx";
import { define } from "@/utils.ts";

export default define.layout(({ Component, state }) => (
  <div class="shell">
    <a class="skip" href="#main">Skip to content</a>
    {state.user && <Sidebar user={state.user} />}
    <main id="main" tabIndex={-1}>
      <Component />
      <LocalTimes />
    </main>
  </div>
));
