//! What is read of a drawing, and what is said of a wrong one.

use super::super::drawing::{Drawing, STEP, id};
use super::*;
use serde_json::json;

fn graph(drawing: &Drawing) -> Graph {
    Graph::compile(&drawing.canvas()).unwrap()
}

fn faults(drawing: &Drawing) -> Vec<(String, GraphFault)> {
    let problems = Graph::compile(&drawing.canvas()).unwrap_err();
    problems.into_iter().map(|problem| (problem.node, problem.fault)).collect()
}

fn at(graph: &Graph, card: usize) -> NodeIndex {
    graph.find(&id(card)).unwrap()
}

#[test]
fn handles_name_a_choice_the_error_output_or_the_ordinary_one() {
    for (handle, output) in [
        ("a-output-0", Output::Choice(0)),
        ("a-output-12", Output::Choice(12)),
        ("a-output-error", Output::Error),
        ("a-output-llmAgentflow", Output::Ordinary),
        ("b-output-1", Output::Ordinary),
        ("", Output::Ordinary),
    ] {
        assert_eq!(Output::parse("a", handle), output, "{handle}");
    }
}

#[test]
fn two_edges_between_the_same_cards_are_one_in_the_place_of_the_first() {
    let drawing = Drawing::begin().steps(3).edge(0, 1).choice(1, 0, 2).edge(1, 3).choice(1, 1, 2);
    let graph = graph(&drawing);
    let edges = &graph.container(CANVAS).edges;
    assert_eq!(edges.len(), 3);
    assert_eq!(edges[1].outputs, [Output::Choice(0), Output::Choice(1)]);
    assert_eq!(graph.followers(at(&graph, 1)).collect::<Vec<_>>(), [at(&graph, 2), at(&graph, 3)]);
}

#[test]
fn notes_and_their_edges_are_left_out() {
    let drawing = Drawing::begin().card("stickyNoteAgentflow").card(STEP).edge(0, 2).edge(0, 1);
    let graph = graph(&drawing);
    assert_eq!(graph.nodes().count(), 2);
    assert_eq!(graph.node(at(&graph, 2)).place, 2);
}

#[test]
fn a_flow_without_a_start_is_refused() {
    let empty = Drawing { cards: Vec::new(), edges: Vec::new() };
    assert_eq!(faults(&empty), [(String::new(), GraphFault::NoStart)]);
}

#[test]
fn every_start_but_the_first_is_refused() {
    let found = faults(&Drawing::begin().card(START).card(STEP).edge(0, 2).edge(1, 2));
    assert_eq!(found, [(id(1), GraphFault::SeveralStarts)]);
}

#[test]
fn a_start_has_nothing_before_it_and_nothing_around_it() {
    let found = faults(&Drawing::begin().steps(1).edge(0, 1).edge(1, 0));
    assert!(found.contains(&(id(0), GraphFault::StartPlace)), "{found:?}");
    let mut inside = Drawing::begin().iteration();
    inside.cards[0].parent = Some(1);
    assert!(faults(&inside).contains(&(id(0), GraphFault::StartPlace)));
}

#[test]
fn a_card_outside_of_iterations_that_nothing_leads_to_is_refused() {
    assert_eq!(faults(&Drawing::begin().steps(1)), [(id(1), GraphFault::Unconnected)]);
    let children = Drawing::begin().iteration().edge(0, 1).card(STEP).inside(1).card(STEP).inside(1);
    let graph = graph(&children);
    let Role::Iteration(inside) = graph.node(at(&graph, 1)).role else { panic!() };
    assert_eq!(graph.container(inside).starts, [at(&graph, 2), at(&graph, 3)]);
}

#[test]
fn a_circle_is_named_with_its_cards() {
    let drawing = Drawing::begin().steps(4).chain(&[0, 1, 2, 3, 1]).edge(3, 4);
    let problems = Graph::compile(&drawing.canvas()).unwrap_err();
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].fault, GraphFault::Circle);
    for label in ["'Card 1'", "'Card 2'", "'Card 3'"] {
        assert!(problems[0].message.contains(label), "{}", problems[0].message);
    }
    assert!(!problems[0].message.contains("Card 4"), "{}", problems[0].message);
}

#[test]
fn an_edge_needs_two_cards_of_one_container() {
    let inside = Drawing::begin().iteration().card(STEP).inside(1).edge(0, 1);
    assert_eq!(faults(&inside.clone().edge(0, 2)), [(id(0), GraphFault::Border)]);
    assert_eq!(faults(&inside.clone().edge(2, 1)), [(id(2), GraphFault::Border)]);
    assert_eq!(faults(&inside.clone().edge(1, 1)), [(id(1), GraphFault::SelfEdge)]);
    assert_eq!(faults(&inside.clone().edge(1, 7)), [(id(1), GraphFault::MissingCard)]);
    assert_eq!(faults(&inside.edge(7, 1)), [(id(1), GraphFault::MissingCard)]);
}

#[test]
fn nothing_follows_a_loop_or_a_direct_reply() {
    let reply = Drawing::begin().reply().steps(1).chain(&[0, 1, 2]);
    assert_eq!(faults(&reply), [(id(1), GraphFault::EdgeFromEnd)]);
    let back = Drawing::begin().back_to(0, 2).steps(1).chain(&[0, 1, 2]);
    assert_eq!(faults(&back), [(id(1), GraphFault::EdgeFromEnd)]);
}

#[test]
fn a_loop_goes_back_to_a_card_that_leads_to_it() {
    let cards = Drawing::begin().steps(3).chain(&[0, 1, 2]).edge(1, 3);
    assert_eq!(faults(&cards.clone().back_to(3, 2).edge(2, 4)), [(id(4), GraphFault::LoopTarget)]);
    assert_eq!(faults(&cards.clone().back_to(9, 2).edge(2, 4)), [(id(4), GraphFault::LoopTarget)]);
    assert_eq!(faults(&cards.clone().back_to(4, 2).edge(2, 4)), [(id(4), GraphFault::LoopTarget)]);
    let graph = graph(&cards.back_to(1, 2).edge(2, 4));
    let Role::Loop(back) = &graph.node(at(&graph, 4)).role else { panic!() };
    assert_eq!(back.targets, [at(&graph, 1)]);
    assert_eq!(back.region, [false, true, true, true, true]);
}

#[test]
fn going_back_to_start_means_all_that_follows_it() {
    let graph = graph(&Drawing::begin().steps(2).edge(0, 2).edge(0, 1).back_to(0, 2).edge(1, 3));
    let Role::Loop(back) = &graph.node(at(&graph, 3)).role else { panic!() };
    assert_eq!(back.targets, [at(&graph, 2), at(&graph, 1)]);
    assert_eq!(back.region, [false, true, true, true]);
}

#[test]
fn the_target_of_a_loop_is_the_longest_known_id() {
    let flow = json!({
        "nodes": [
            {"id": "s", "data": {"name": START}},
            {"id": "a", "data": {"name": STEP}},
            {"id": "a-1", "data": {"name": STEP}},
            {"id": "l", "data": {"name": LOOP, "inputs": {"loopBackToNode": "a-1-My - card", "maxLoopCount": ""}}},
        ],
        "edges": [
            {"source": "s", "target": "a"}, {"source": "a", "target": "a-1"}, {"source": "a-1", "target": "l"},
        ],
    });
    let graph = Graph::compile(&Canvas::parse(&flow.to_string()).unwrap()).unwrap();
    let Role::Loop(back) = &graph.node(graph.find("l").unwrap()).role else { panic!() };
    assert_eq!(back.targets, [graph.find("a-1").unwrap()]);
    assert_eq!(back.rounds_max, 5);
}

#[test]
fn rounds_are_a_number_or_its_text_and_bounded() {
    let mut drawing = Drawing::begin().steps(1).back_to(1, 0).chain(&[0, 1, 2]);
    for (rounds, kept, warnings) in
        [(json!(3), 3, 0), (json!("7"), 7, 0), (json!(0), 1, 0), (json!(-2), 1, 0), (json!("x"), 5, 0)]
            .into_iter()
            .chain([(json!(100), 100, 0), (json!(101), 100, 1), (json!(1e300), 100, 1)])
    {
        drawing.cards[2].rounds = rounds.clone();
        let graph = graph(&drawing);
        let Role::Loop(back) = &graph.node(at(&graph, 2)).role else { panic!() };
        assert_eq!((back.rounds_max, graph.warnings().len()), (kept, warnings), "{rounds}");
    }
}

#[test]
fn a_card_is_drawn_inside_of_iterations_only_and_not_too_deep() {
    assert_eq!(
        faults(&Drawing::begin().steps(1).edge(0, 1).card(STEP).inside(1)),
        [(id(2), GraphFault::Parent), (id(2), GraphFault::Unconnected)]
    );
    let nest = |depth: usize| {
        let first = Drawing::begin().iteration().edge(0, 1);
        (1..depth).fold(first, |drawing, at| drawing.iteration().inside(at)).card(STEP).inside(depth)
    };
    assert_eq!(graph(&nest(8)).owners(NodeIndex::new(9)).count(), 8);
    assert!(faults(&nest(9)).contains(&(id(10), GraphFault::Nesting)));
    let mut round = Drawing::begin().iteration().edge(0, 1);
    round.cards[1].parent = Some(1);
    assert!(faults(&round).contains(&(id(1), GraphFault::Nesting)));
}

#[test]
fn last_cards_have_no_followers_and_stand_outside_of_iterations() {
    let graph = graph(&Drawing::begin().iteration().card(STEP).inside(1).steps(1).chain(&[0, 1, 3]));
    let last: Vec<NodeIndex> = graph.nodes().filter(|&node| graph.is_last(node)).collect();
    assert_eq!(last, [at(&graph, 3)]);
}

#[test]
fn what_may_come_before_a_card_is_known_through_iterations_and_loops() {
    // Start 0 → 1 → iteration 2 (3 → 4) → 5 → loop to 5, and 1 → 7.
    let drawing = Drawing::begin().steps(1).iteration().card(STEP).inside(2).card(STEP).inside(2);
    let drawing = drawing.steps(1).back_to(5, 3).steps(1).chain(&[0, 1, 2, 5, 6]).edge(3, 4).edge(1, 7);
    let graph = graph(&drawing);
    let precedes = |a, b| graph.may_precede(at(&graph, a), at(&graph, b));
    for (earlier, later) in [(1, 2), (1, 3), (0, 4), (3, 4), (3, 5), (2, 6), (6, 5), (5, 5), (3, 6)] {
        assert!(precedes(earlier, later), "{earlier} {later}");
    }
    for (earlier, later) in [(2, 3), (4, 3), (5, 3), (3, 2), (7, 5), (5, 7), (1, 1), (3, 7)] {
        assert!(!precedes(earlier, later), "{earlier} {later}");
    }
    assert!(graph.is_ancestor(at(&graph, 1), at(&graph, 6)));
    assert!(!graph.is_ancestor(at(&graph, 6), at(&graph, 5)));
}
