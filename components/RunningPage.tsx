import { Head } from "fresh/runtime";
import ReloadWhileRunning from "@/islands/ReloadWhileRunning.tsx";

/** Shows a page again while what it is about is running, with and without scripts. */
export function RunningPage({ pathname }: { pathname: string }) {
  return (
    <>
      <Head>
        <noscript>
          <meta http-equiv="refresh" content={`5;url=${pathname}`} />
        </noscript>
      </Head>
      <ReloadWhileRunning />
    </>
  );
}
