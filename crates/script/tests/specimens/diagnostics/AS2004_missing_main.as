agent Planner { func plan(x) { x } }
agent Worker { func work(x) { x } }
