use super::*;

fn assert_close(found: f64, expected: f64, tolerance: f64) {
    assert!(
        (found - expected).abs() <= tolerance,
        "{found} is not {expected}"
    );
}

#[test]
fn quartiles_of_ten_are_those_of_type_7() {
    let mixed = [7.0, 1.0, 10.0, 4.0, 2.0, 9.0, 3.0, 8.0, 6.0, 5.0];
    let expected = Quartiles {
        p25: 3.25,
        median: 5.5,
        p75: 7.75,
    };
    assert_eq!(quartiles(&mixed), Some(expected));
    assert_eq!(median(&mixed), Some(5.5));
}

#[test]
fn equal_and_single_and_no_results_do_not_trip() {
    let same = |value| Quartiles {
        p25: value,
        median: value,
        p75: value,
    };
    assert_eq!(quartiles(&[4.0; 10]), Some(same(4.0)));
    assert_eq!(quartiles(&[4.0]), Some(same(4.0)));
    assert_eq!(quartiles(&[]), None);
    assert_eq!(quartiles(&[f64::NAN, 4.0, f64::INFINITY]), Some(same(4.0)));
    assert_eq!(median(&[f64::NAN]), None);
}

#[test]
fn the_interval_of_two_pairs_is_that_by_hand() {
    // ln 2 = 0.6931 and ln 3 = 1.0986: mean 0.8959, deviation 0.2867, error
    // 0.2027, t for one degree 12.706, reach 2.576.
    let ratio = paired_ratio(&[(2.0, 1.0), (3.0, 1.0)]).unwrap();
    let (low, high) = ratio.interval.unwrap();
    assert_close(ratio.value, 6_f64.sqrt(), 1e-12);
    assert_close(low, 0.1864, 1e-3);
    assert_close(high, 32.20, 1e-2);
    assert!(ratio.says_nothing());
}

#[test]
fn the_interval_of_five_pairs_is_that_of_scipy() {
    // exp of ttest_1samp(log(a / b), 0).confidence_interval(), SciPy.
    let pairs = [
        (1400.0, 650.0),
        (1300.0, 640.0),
        (1500.0, 700.0),
        (1350.0, 600.0),
        (1450.0, 660.0),
    ];
    let ratio = paired_ratio(&pairs).unwrap();
    let (low, high) = ratio.interval.unwrap();
    assert_close(ratio.value, 2.153_75, 1e-4);
    assert_close(low, 2.054_62, 1e-4);
    assert_close(high, 2.257_67, 1e-4);
    assert_eq!(ratio.pairs, 5);
    assert!(!ratio.says_nothing());
}

#[test]
fn the_interval_of_two_groups_is_that_of_scipy() {
    // exp of ttest_ind(log(a), log(b), equal_var=False).confidence_interval().
    let ratio = unpaired_ratio(
        &[940.0, 950.0, 930.0, 960.0, 945.0],
        &[1000.0, 1010.0, 990.0, 1005.0, 995.0],
    )
    .unwrap();
    let (low, high) = ratio.interval.unwrap();
    assert_close(ratio.value, 0.944_97, 1e-4);
    assert_close(low, 0.930_85, 1e-4);
    assert_close(high, 0.959_31, 1e-4);
}

#[test]
fn pairs_without_a_logarithm_are_left_out() {
    let ratio = paired_ratio(&[
        (2.0, 1.0),
        (0.0, 1.0),
        (1.0, 0.0),
        (-1.0, 1.0),
        (f64::NAN, 1.0),
        (1.0, f64::INFINITY),
    ])
    .unwrap();
    assert_eq!((ratio.pairs, ratio.interval), (1, None));
    assert_close(ratio.value, 2.0, 1e-12);
    assert!(ratio.says_nothing());
    assert_eq!(paired_ratio(&[(0.0, 0.0)]), None);
    assert_eq!(paired_ratio(&[]), None);
    assert_eq!(unpaired_ratio(&[1.0], &[0.0]), None);
    assert_eq!(unpaired_ratio(&[1.0, 2.0], &[1.0]).unwrap().interval, None);
}

#[test]
fn equal_ratios_have_an_interval_of_no_width() {
    let (low, high) = paired_ratio(&[(4.0, 2.0); 10]).unwrap().interval.unwrap();
    assert_close(low, 2.0, 1e-9);
    assert_close(high, 2.0, 1e-9);
    let groups = unpaired_ratio(&[4.0; 3], &[2.0; 3]).unwrap();
    let (low, high) = groups.interval.unwrap();
    assert_close(low, 2.0, 1e-9);
    assert_close(high, 2.0, 1e-9);
}

#[test]
fn quantiles_of_t_are_those_of_scipy_and_never_too_narrow_between() {
    for (freedom, expected) in [
        (1.0, 12.7062),
        (2.0, 4.3027),
        (9.0, 2.2622),
        (29.0, 2.0452),
        (30.0, 2.0423),
        (40.0, 2.0211),
        (120.0, 1.9799),
    ] {
        assert_close(t_975(freedom), expected, 5e-4);
    }
    for (freedom, expected) in [(1.5, 6.0167), (2.5, 3.5747), (4.7, 2.6207), (29.5, 2.0437)] {
        let found = t_975(freedom);
        assert!(
            found > expected - 5e-4 && found < expected * 1.2,
            "{freedom}: {found}"
        );
    }
}
