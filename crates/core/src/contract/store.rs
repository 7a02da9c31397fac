//! The suites of the ports of stores (HO-2): functions that panic with what is wrong.
//!
//! A suite of a store takes a function that makes an empty one. `contexts(&make)` and the like run all
//! of it; `contexts_contract!(make)` makes a `#[test]` of each case, so that the test runner names what
//! fails.
//!
//! ```ignore
//! #[test]
//! fn my_store_keeps_contexts() {
//!     contexture_core::contract::store::contexts(&|setup| Arc::new(MyContexts::new(setup)));
//! }
//! ```
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::missing_panics_doc,
    clippy::too_many_lines,
    clippy::disallowed_methods,
    missing_docs,
    reason = "it is made of tests, which may fail; their names say what they are about"
)]

/// Makes the function that runs a suite, and the macro that makes tests of its cases.
macro_rules! suite {
    (($d:tt) $(#[$doc:meta])* $suite:ident, $tests:ident: $($case:ident)*) => {
        $(#[$doc])*
        pub fn $suite(make: &$suite::Make<'_>) {
            $($suite::$case(make);)*
        }

        /// Makes a `#[test]` of each case of the suite; attributes in brackets before the function that
        /// makes a store, such as `[#[ignore]]`, are those of each test.
        #[macro_export]
        macro_rules! $tests {
            ([$d($d attributes:tt)*] $d make:expr) => {
                $(
                    #[test]
                    $d($d attributes)*
                    fn $case() {
                        $crate::contract::store::$suite::$case(&$d make);
                    }
                )*
            };
            ($d make:expr) => {
                $(
                    #[test]
                    fn $case() {
                        $crate::contract::store::$suite::$case(&$d make);
                    }
                )*
            };
        }
    };
}

pub mod contexts;
pub mod flows;
pub mod journals;
pub mod memory;
pub mod runs;

suite! {
    ($)
    /// Runs the whole suite of contexts.
    contexts, contexts_contract:
    cp_7_repeated_message_gets_same_answer_and_changes_nothing
    cp_7_the_same_id_with_another_content_is_refused
    cp_7_pending_message_gets_answer_later
    wa_1_pending_message_has_incarnation_of_its_context
    wa_1_pending_message_without_context_has_no_incarnation
    wa_11_queued_message_may_begin_when_those_before_it_have_answers
    wa_3_message_waits_for_answer_again
    cp_7_answer_needs_existing_message
    wa_11_update_for_pending_message_does_nothing_when_it_has_its_answer
    cp_7_message_without_context_creates_one_only_once
    cp_7_a_key_alone_makes_no_context
    cp_7_a_refused_message_leaves_no_key
    cp_7_deleted_context_forgets_message_keys
    cp_7_message_creates_context_again_after_deletion
    cp_7_update_for_deleted_context_does_not_apply_to_next_one
    cp_7_message_id_is_unique_in_context
    cp_7_message_that_created_context_cannot_be_added_to_it
    cp_7_many_threads_with_one_message_have_one_effect
    cp_19_what_is_sealed_reads_back_open
    cp_19_what_only_looks_sealed_is_kept_as_it_is
    cp_9_first_update_creates_context_for_owner
    cp_9_an_update_that_may_not_create_finds_nothing
    cp_9_context_of_other_owner_looks_missing
    cp_9_update_without_context_creates_one
    cp_10_messages_are_read_back_as_written_with_their_place
    cp_10_text_that_is_not_message_gets_error
    cp_10_the_state_is_set_and_removed_by_paths
    cp_10_path_that_does_not_fit_undoes_whole_update
    cp_10_clear_removes_history_strictly_before_instant
    cp_10_filter_that_is_not_time_gets_error
    cp_10_cleared_messages_stay_in_log_until_compaction
    cp_19_limits_are_errors_and_change_nothing
    cp_11_each_update_raises_version_by_one
    cp_11_a_stale_update_is_merged_when_paths_do_not_overlap
    cp_11_stale_update_of_same_place_is_refused_with_changes
    cp_11_removed_element_moves_list
    cp_11_clearing_conflicts_with_messages_that_were_not_seen
    cp_11_a_version_that_never_was_or_is_gone_is_told
    cp_11_log_reports_changes_since_version
    cp_11_reported_changes_of_update_equal_log
    cp_11_pages_of_log_end_with_version
    cp_11_times_never_go_back
    cp_12_messages_come_in_pages
    cp_9_contexts_are_listed_in_pages
    wa_7_patch_of_metadata_makes_version_and_stands_in_log
    wa_7_patch_of_user_id_is_refused_and_changes_nothing
    wa_7_patch_makes_context_with_its_metadata
    wa_7_stale_patch_of_same_field_conflicts
    wa_7_patch_beyond_limits_is_refused
    wa_7_search_finds_titles_topics_and_texts
    wa_7_search_takes_text_of_any_script_to_the_letter
    wa_7_search_in_long_contexts_goes_on_where_page_ended
    wa_7_search_for_nothing_or_with_wrong_place_is_refused
    wa_7_search_finds_sealed_texts
    cp_9_example_of_source_is_imported_and_reads_back
    cp_10_an_export_is_imported_as_it_was
    cp_10_reimported_export_exports_identical_text
    cp_11_import_ignores_impossible_times_and_places
    cp_10_failing_import_changes_nothing_and_names_line
    cp_7_refused_message_of_import_is_named_by_line
    cp_1_imported_message_of_foreign_origin_is_marked
    cp_7_imported_or_forked_context_keeps_message_ids
    cp_9_context_id_belongs_to_one_owner
    cp_10_import_without_id_gets_one
    cp_10_an_import_that_is_too_large_is_refused
    cp_10_fork_is_independent_of_original
    cp_10_a_deleted_context_is_gone
    cp_12_a_store_that_works_says_so
}

suite! {
    ($)
    /// Runs the whole suite of the journal of flows.
    flows, flows_contract:
    fl_11_events_come_back_in_their_order
    fl_11_event_of_run_that_is_not_held_is_refused
    fl_11_events_of_many_threads_are_all_kept
    fl_11_ids_are_given_once
    fl_11_run_has_at_most_one_holder
    fl_11_released_run_is_claimed_with_past_entries
    fl_11_run_that_has_ended_is_not_claimed
    fl_11_run_that_nobody_goes_on_with_is_finished
    wa_4_ended_run_is_reopened_without_the_ends_that_are_void
    fl_11_runs_that_ended_are_forgotten_with_those_within
    fl_12_runs_are_listed_newest_first
    fl_12_request_reaches_holder
    fl_12_cancel_before_claim_counts
    fl_12_note_is_listed_and_told_to_nobody
    wa_11_run_that_only_waits_is_taken_up_once
}

suite! {
    ($)
    /// Runs the whole suite of journals of runs.
    journals, journals_contract:
    wa_3_lines_of_journal_are_read_back_and_gone_on_with
    wa_3_journal_is_begun_once
    wa_3_removed_journal_is_gone
}

suite! {
    ($)
    /// Runs the whole suite of memories.
    memory, memory_contract:
    as_26_add_returns_flat_record_with_id_and_times
    gu_4_record_keeps_lowest_label_and_shows_none
    as_26_query_without_text_returns_newest_first
    as_26_query_by_kind_and_fields
    as_26_text_search_returns_most_relevant_first
    as_26_word_in_text_counts_more_than_in_other_fields
    as_26_equally_relevant_records_come_newest_first
    as_26_text_of_any_script_is_found
    as_26_text_that_looks_like_query_is_searched_as_words
    as_26_update_sets_fields_and_time
    as_26_delete_removes_record
    as_26_arguments_are_checked
    as_26_a_limit_that_leaves_records_out_is_told
    as_26_odd_names_and_texts_survive
    as_26_concurrent_writers_lose_no_records
    as_26_a_query_makes_nothing
}

suite! {
    ($)
    /// Runs the whole suite of stores of runs.
    runs, runs_contract:
    as_29_lines_of_event_add_up
    as_29_runs_are_listed_newest_first_and_summed_up
    as_29_a_run_is_found_by_id_by_part_and_by_age
    as_29_texts_are_kept_by_digest
    as_29_secrets_are_masked_in_events_and_texts
    as_29_events_form_tree
    as_29_trace_of_any_depth_is_tree
    as_29_export_contains_all_stored_texts_of_run
    as_29_concurrent_runs_do_not_mix
    in_2_list_and_head_are_read_without_other_events
    in_4_written_lines_are_read_by_parts
}
