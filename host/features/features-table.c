/* SPDX-License-Identifier: MIT
 *
 * features-table.c - the table of features, in the order in which they are asked. */
#include "controller/features.h"
#include "conversation/offered-tools.h"
#include "conversation/runner-ahead.h"
#include "conversation/shell-directory.h"
#include "conversation/waiting-messages.h"
#include "features/approval/approval.h"
#include "features/condense-preview.h"
#include "features/condense.h"
#include "features/context-recall.h"
#include "features/corrections.h"
#include "features/delegation.h"
#include "features/directories.h"
#include "features/effects/effects.h"
#include "features/file-history.h"
#include "features/follow-ups.h"
#include "features/goal.h"
#include "features/hook-runner.h"
#include "features/judge.h"
#include "features/limits.h"
#include "features/loop-recovery.h"
#include "features/nested-calls.h"
#include "features/parallel-calls.h"
#include "features/questions.h"
#include "features/relist.h"
#include "features/replay-internal.h"
#include "features/sandbox-note.h"
#include "features/sandbox-retry.h"
#include "features/setup.h"
#include "features/side-question.h"
#include "features/permissions.h"
#include "features/slices.h"
#include "features/snapshots.h"
#include "features/spools.h"
#include "features/subagents.h"
#include "features/task-list.h"
#include "features/tool-completions.h"
#include "features/tool-http.h"
#include "features/tool-notices.h"
#include "features/tool-search.h"
#include "features/unattended.h"

const struct feature *const features_table[] = {
	&waiting_messages_feature, /* first: a call that a message stops is not assessed */
	&approval_feature,
	&snapshots_feature, /* before the limits, which count calls that are sent */
	&replay_feature,
	&loop_recovery_feature,
	&nested_calls_feature,
	&limits_feature,
	&slices_feature,
	&delegation_feature,
	&subagents_feature,
	&tool_notices_feature,
	&sandbox_note_feature,
	&condense_feature,
	&skills_and_notes_feature,
	&directories_feature,
	&tool_completions_feature,
	&tool_http_feature,
	&questions_feature,
	&judge_feature, /* before the goal, whose command runs last */
	&goal_feature,
	&permissions_feature, /* before the hooks: it makes a call again from the start */
	&sandbox_retry_feature, /* before those that handle the last result of a call */
	&follow_ups_feature, /* before the hooks, which get its notes */
	&hooks_feature,
	&relist_feature,
	&tool_search_feature,
	&setup_feature,
	&condense_preview_feature,
	&task_list_feature,
	&side_question_feature,
	&spools_feature,
	&corrections_feature,
	&unattended_feature,
	&parallel_calls_feature,
	&shell_directory_feature,
	&offered_tools_feature,
	&runner_ahead_feature,
	&file_history_feature, /* the call that it notes is sent */
	&effects_feature, /* last: it sends calls that all others have let pass */
	NULL,
};
