//! Behaviour that is the same on both services: functions that a service's
//! tests call by way of the macro [`suite!`](crate::suite).

#![expect(missing_docs, reason = "the names of the functions are sentences")]

pub mod cleaner;
pub mod clients;
pub mod crashes;
pub mod database;
pub mod leaving;
pub mod limits;
pub mod log;
pub mod parity;
pub mod restarts;
pub mod senders;
pub mod sentry;
pub mod sharing;
pub mod starting;
pub mod stopping;
pub mod wire;
pub mod writes;

use std::sync::Barrier;
use std::thread;

/// Runs a function on so many threads at the same moment.
fn at_once<T: Send>(count: usize, run: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let start = Barrier::new(count);
    let (start, run) = (&start, &run);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..count)
            .map(|number| {
                scope.spawn(move || {
                    start.wait();
                    run(number)
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| {
                thread
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })
            .collect()
    })
}

/// Makes a test of each function of the suites, for a service that implements
/// [`Subject`](crate::testing::service::Subject). What takes long stands after
/// the semicolon of its module, and is run by `.ci/run --long` only.
#[macro_export]
macro_rules! suite {
    ($subject:ty) => {
        $crate::suite! { $subject:
            cleaner {
                old_keys_are_forgotten_and_young_ones_are_not,
                a_cleaner_that_fails_is_told_each_round_and_goes_on,
            }
            clients {
                requests_on_one_connection_are_answered_in_their_order,
                a_client_that_reads_nothing_is_let_go,
                more_idle_connections_than_workers_starve_nobody,
                silent_connections_and_half_heads_starve_nobody,
                a_thousand_unread_bodies_never_become_requests,
                a_connection_that_is_reset_harms_nobody,
                a_connection_counts_as_served_with_its_first_answer,
            }
            crashes {
                orders_outlive_a_kill_of_the_service,
                orders_outlive_a_kill_of_the_database,
                nothing_spins_while_the_killed_database_is_away,
                ;
                long_orders_outlive_ten_kills_of_the_service,
                long_orders_outlive_ten_kills_of_the_database,
                long_nothing_spins_while_the_killed_database_is_away,
            }
            database {
                a_table_that_is_locked_costs_the_statement_limit_and_no_more,
                an_empty_pool_is_503_in_time_and_the_rest_lives,
                a_full_pool_is_no_reason_to_take_the_service_away,
                who_comes_to_a_line_that_is_too_long_is_refused_at_once,
                sessions_that_the_server_ended_are_never_lent,
                a_database_that_comes_back_is_used_again,
                a_password_that_is_wrong_is_not_shown,
                ;
                long_a_database_that_comes_back_after_half_a_minute_is_used_again,
            }
            leaving {
                two_thousand_clients_that_leave_take_nothing_with_them,
                statements_of_clients_that_left_end_by_their_limit,
                ;
                long_clients_that_leave_take_nothing_with_them,
            }
            limits {
                a_body_of_three_megabytes_is_answered_413,
                a_body_in_chunks_of_three_megabytes_is_answered_413,
                a_client_that_waits_for_permission_gets_413_at_once,
                a_head_that_does_not_come_is_not_waited_for,
                a_head_that_trickles_is_not_waited_for,
                an_idle_connection_is_closed,
                a_body_that_does_not_come_is_answered_408,
                a_body_that_trickles_is_answered_408,
                a_request_that_takes_too_long_is_answered_503,
                a_head_without_end_is_refused,
                a_connection_too_many_is_answered_503,
                running_out_of_file_handles_ends_nothing,
            }
            log {
                each_line_has_the_id_of_its_own_request,
                a_log_that_nobody_reads_holds_nobody_up,
                the_cause_of_a_failure_is_in_the_log_and_no_secret,
            }
            parity {
                bodies,
                book,
                database_gone,
                documentation,
                edited_schema,
                every_operation_of_the_document_is_served,
                experiments,
                experiments_are_documented_when_they_are_served,
                key_in_use,
                keys,
                late_bodies,
                markets,
                methods,
                no_experiments,
                no_schema,
                old_schema,
                orders,
                paths,
                placing,
                protocol,
                ready,
                request_ids,
                the_document_is_the_committed_one,
            }
            restarts {
                stops_under_load_cut_nobody_and_free_the_port,
                who_is_asked_for_nothing_does_nothing_and_stops_at_once,
                the_last_lines_are_written,
                ;
                long_ten_stops_under_load_cut_nobody_and_free_the_port,
                long_who_is_asked_for_nothing_does_nothing_and_stops_at_once,
                long_the_last_lines_are_written_fifty_times,
            }
            senders {
                bodies_of_fifty_megabytes_are_refused_and_not_kept,
                three_hundred_slow_heads_starve_nobody,
                three_hundred_half_requests_come_to_an_end,
                connections_that_end_before_they_are_accepted_end_nothing,
                ;
                long_three_hundred_slow_heads_starve_nobody,
                long_connections_that_end_before_they_are_accepted_end_nothing,
            }
            sentry {
                an_error_is_one_event,
                a_panic_is_one_event,
                a_failed_background_job_is_one_event,
                mistakes_of_clients_and_overload_are_no_events,
                each_of_a_hundred_failures_carries_its_own_request,
                on_one_worker_each_failure_carries_its_own_request,
                the_transaction_is_named_by_the_route,
                a_broken_table_is_told_to_the_tracker_and_not_to_the_client,
                a_write_that_fails_when_its_client_has_left_is_one_event,
                no_secret_reaches_the_tracker,
                a_slow_tracker_slows_nobody,
                a_hanging_tracker_slows_nobody,
                a_refusing_tracker_slows_nobody,
                a_dead_tracker_slows_nobody,
                what_failed_before_a_stop_is_still_sent,
                a_panic_leaves_the_connection_open,
                a_panic_among_pipelined_requests_is_answered_in_order,
                ;
                long_each_of_three_hundred_failures_carries_its_own_request,
            }
            sharing {
                programs_on_one_port_all_get_connections,
                programs_that_leave_a_shared_port_under_load_cut_nobody,
                a_port_is_shared_only_by_those_that_say_so,
                a_free_port_is_free_also_where_it_may_be_shared,
                ;
                long_programs_that_leave_a_shared_port_under_load_cut_nobody,
            }
            starting {
                without_a_database_it_lives_and_is_not_ready,
                it_becomes_ready_by_itself_when_the_database_appears,
                it_becomes_ready_by_itself_when_the_schema_appears,
                while_it_waits_the_log_stays_quiet,
                what_is_in_the_way_is_told_with_its_place_and_cause,
                mistakes_in_the_configuration_are_told_together,
                a_malformed_dsn_is_told_without_showing_it,
                an_empty_dsn_is_no_tracker,
                a_port_that_is_taken_is_told,
                an_edited_migration_is_refused_with_its_version,
                the_health_check_says_whether_it_is_ready,
                the_command_line_is_answered_without_a_configuration,
            }
            stopping {
                connections_that_ask_for_nothing_do_not_hold_the_exit,
                a_request_in_flight_is_finished,
                a_body_in_flight_is_finished,
                who_has_just_connected_is_still_served,
                it_gives_up_after_the_grace_time_and_says_so,
                nobody_is_accepted_after_the_stop,
                it_starts_again_on_the_same_port_at_once,
                sigterm_ends_the_program_with_success,
                sigint_ends_the_program_with_success,
                a_second_signal_ends_it_at_once,
            }
            wire {
                clients_that_leave_on_a_slow_wire_leave_clean_connections,
                a_dead_wire_is_503_in_time_and_the_rest_lives,
                a_wire_that_died_unseen_costs_one_limit,
                orders_on_a_dying_wire_are_there_once,
                a_wire_that_is_dead_at_the_start_is_waited_for,
                a_stop_on_a_dead_wire_ends_in_time,
                a_signal_on_a_wire_that_was_dead_from_the_start_ends_the_program,
                ;
                long_clients_that_leave_on_a_slow_wire_leave_clean_connections,
            }
            writes {
                one_key_sixteen_times_at_once_is_one_order,
                sixteen_keys_at_once_are_sixteen_orders,
                a_write_is_finished_though_its_client_left,
                a_stop_waits_for_a_write_whose_client_left,
                a_failure_between_two_statements_leaves_nothing,
            }
        }
    };
    ($subject:ty: $($module:ident { $($test:ident,)* $(; $($long:ident,)*)? })*) => {$(
        mod $module {
            $(
                #[test]
                fn $test() {
                    $crate::testing::suite::$module::$test::<$subject>();
                }
            )*
            $($(
                #[test]
                #[ignore = "a long round: .ci/run --long"]
                fn $long() {
                    $crate::testing::suite::$module::$long::<$subject>();
                }
            )*)?
        }
    )*};
}

#[cfg(test)]
mod tests {
    const LIST: &str = include_str!("mod.rs");

    #[test]
    fn every_table_of_the_parity_suite_is_run() {
        let cases = include_str!("../parity/cases/mod.rs");
        let (_, tables) = include_str!("parity.rs")
            .split_once("tables! {\n")
            .expect("the tables are listed");
        let (tables, _) = tables.split_once('}').expect("the list has an end");
        let uses = cases
            .lines()
            .filter_map(|line| line.strip_prefix("pub use "));
        for table in uses.flat_map(|line| line.split(&[':', '{', '}', ',', ';', ' ']).skip(1)) {
            let table = table.trim();
            if !table.is_empty() {
                assert!(
                    tables.split_whitespace().any(|name| name == table),
                    "{table} is in no test"
                );
                assert!(
                    LIST.contains(&format!(" {table},\n")),
                    "{table} is not in the list"
                );
            }
        }
    }

    #[test]
    fn every_function_of_the_suites_is_in_the_list() {
        for file in [
            include_str!("cleaner.rs"),
            include_str!("clients.rs"),
            include_str!("crashes.rs"),
            include_str!("database.rs"),
            include_str!("leaving.rs"),
            include_str!("limits.rs"),
            include_str!("log.rs"),
            include_str!("parity.rs"),
            include_str!("restarts.rs"),
            include_str!("senders.rs"),
            include_str!("sentry.rs"),
            include_str!("sharing.rs"),
            include_str!("starting.rs"),
            include_str!("stopping.rs"),
            include_str!("wire.rs"),
            include_str!("writes.rs"),
        ] {
            for line in file.lines() {
                let Some(rest) = line.strip_prefix("pub fn ") else {
                    continue;
                };
                let name = rest.split('<').next().unwrap_or_default();
                assert!(
                    LIST.contains(&format!(" {name},\n")),
                    "{name} is not in the list"
                );
            }
        }
    }

    #[test]
    fn what_is_ignored_is_what_is_called_long() {
        let (_, list) = LIST.split_once("$subject:").expect("there is a list");
        let (list, _) = list.split_once("};").expect("it has an end");
        for module in list.split('}') {
            let (quick, long) = module.split_once(';').unwrap_or((module, ""));
            let names = |part: &'static str| part.lines().filter_map(|line| line.strip_suffix(','));
            assert!(
                names(quick).all(|name| !name.trim().starts_with("long_")),
                "{quick}"
            );
            assert!(
                names(long).all(|name| name.trim().starts_with("long_")),
                "{long}"
            );
        }
    }
}
