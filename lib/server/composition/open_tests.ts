import type { AgentService } from "../../services/agent_service.ts";
import type { CanaryWatch } from "../../services/publishing/canary_watch.ts";
import { Publications } from "../../services/publishing/publications.ts";
import { PublishGates } from "../../services/publishing/publish_gates.ts";
import { Rehearsals } from "../../services/rehearsals/rehearsals.ts";
import { TestCases } from "../../services/test_sets/test_cases.ts";
import { TestRunReader } from "../../services/test_sets/test_run_reader.ts";
import { TestRuns } from "../../services/test_sets/test_runs.ts";
import { TestSets } from "../../services/test_sets/test_sets.ts";
import type { CursorSigner } from "../../services/cursor_signer.ts";
import { TrialJudge } from "../../chat/trial/trial_judge.ts";
import type { TrialJobs } from "../../chat/trial/trial_jobs.ts";
import type { AgentStore } from "../../store/agents/agent_store.ts";
import type { PublicationStore } from "../../store/agents/publication_store.ts";
import type { ConversationStore } from "../../store/conversations/conversation_store.ts";
import type { OwnConversationStore } from "../../store/conversations/own_conversation_store.ts";
import { TestCaseStore } from "../../store/test_sets/test_case_store.ts";
import { TestRunStore } from "../../store/test_sets/test_run_store.ts";
import { RehearsalStore } from "../../store/trials/rehearsal_store.ts";
import { TestSetStore } from "../../store/test_sets/test_set_store.ts";
import type { CoreDeps } from "./core_deps.ts";
import type { ProviderServices } from "./open_providers.ts";

/** Test sets, their cases and runs, and publishing, which can require them to pass. */
export function openTests(
  core: CoreDeps,
  { providers, jobs, publishing, ...deps }: {
    agents: AgentStore;
    conversations: ConversationStore;
    own: OwnConversationStore;
    providers: ProviderServices;
    jobs: TrialJobs;
    cursors: CursorSigner;
    dailyLimitOf: (tenant: string) => Promise<number>;
    publishing: { store: PublicationStore; canaries: CanaryWatch; agents: AgentService };
  },
) {
  const { kv, runtime } = core;
  const { access, registry: models } = providers;
  const sets = new TestSetStore(kv, runtime);
  const cases = new TestCaseStore(kv, core);
  const store = new TestRunStore(kv, core);
  const testRunReader = new TestRunReader({ ...deps, sets, store, jobs });
  const testRuns = new TestRuns({
    ...{ ...deps, access, cases, store, jobs, runtime },
    reader: testRunReader,
    grader: new TrialJudge({ access, models, runtime }),
  });
  /** The services on a handle of the store. */
  const openTestServices = (kv: Deno.Kv) => ({
    testSets: new TestSets({
      ...{ ...deps, access, store: new TestSetStore(kv, runtime), runs: testRuns },
    }),
    testCases: new TestCases({ ...deps, sets, store: new TestCaseStore(kv, core) }),
  });
  return {
    ...openTestServices(kv),
    openTestServices,
    testRuns,
    testRunReader,
    rehearsals: new Rehearsals({ ...deps, kv, jobs, runtime, store: new RehearsalStore(kv, core) }),
    publications: new Publications({
      ...publishing,
      gates: new PublishGates({ sets, runs: testRunReader }),
    }),
  };
}
