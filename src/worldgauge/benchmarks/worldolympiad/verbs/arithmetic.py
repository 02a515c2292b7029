"""`worldgauge worldolympiad arithmetic`: how the published tables were made."""

from __future__ import annotations

from dataclasses import asdict

from worldgauge.verbs import AsJson, print_json, print_note, print_table, say

MOST_TOLD = 4
"""Of numbers of judgements that a rate allows; more tell nothing."""


def arithmetic(as_json: AsJson = False) -> None:
    """How the published tables were made: which definition fits which column, and what does not add up.

    worldgauge worldolympiad arithmetic
    """
    from worldgauge.benchmarks.worldolympiad.analyses import arithmetic as published
    from worldgauge.benchmarks.worldolympiad.analyses.printed_twice import printed_twice, rankings

    checks = published.checks()
    spearman, kendall = published.rank_agreement()
    judged = published.model_counts()
    thermal, material = (published.general_counts(name) for name in ("Thermotics", "Material"))
    differing = [one for one in printed_twice() if one.differs]
    orders, total = rankings(), round(published.win_rate_sum(), 3)
    if as_json:
        print_json(
            {
                "checks": [asdict(one) for one in checks],
                "win_rate_sum": total,
                "spearman": round(spearman, 3),
                "kendall": round(kendall, 3),
                "judged_cases": judged,
                "thermal_judgements_general": thermal,
                "material_judgements_general": material,
                "printed_differently": [asdict(one) for one in differing],
                "rankings": orders,
            }
        )
        return
    print_table(
        ["relation", "holds", "of", "worst", "allowed"],
        [[one.relation, str(one.holds), str(one.of), f"{one.worst:.4f}", f"{one.allowed:.4f}"] for one in checks],
        numeric=[1, 2, 3, 4],
    )
    rows = [[model, str(judged[model]), _counts(thermal[model]), _counts(material[model])] for model in judged]
    print_table(["model", "judged cases", "thermal, general", "material, general"], rows, numeric=[1, 2, 3])
    print_note("thermal and material: numbers of judgements, from 20 to 40, that the printed rate allows")
    for one in differing:
        said = f"{one.paper} in the paper, {one.repository} in the repository"
        say(f"Table {one.table}, {one.model}, {one.column}: {said}")
    say(f"Spearman {spearman:.3f}, Kendall {kendall:.3f} of the two rankings of Table 4")
    say(f"win rates of Table 4 sum to {total}, not 4")
    same = len({tuple(order) for order in orders.values()}) == 1
    say(f"the order of models is {'the same' if same else 'not the same'} in {len(orders)} ways: {'; '.join(orders)}")


def _counts(found: list[int]) -> str:
    return "/".join(map(str, found)) if 0 < len(found) <= MOST_TOLD else "any" if found else "none"
