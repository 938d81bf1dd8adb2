# SPDX-License-Identifier: Apache-2.0
"""A box of particles with bonds, charges and long-range forces, twenty steps long, on OpenMM's OpenCL platform, against its reference."""
import numpy as np
import openmm as mm

COUNT, BOX = 500, 3.0


def system():
    made = mm.System()
    made.setDefaultPeriodicBoxVectors((BOX, 0, 0), (0, BOX, 0), (0, 0, BOX))
    pairs = mm.NonbondedForce()
    pairs.setNonbondedMethod(mm.NonbondedForce.PME)
    pairs.setCutoffDistance(0.9)
    for number in range(COUNT):
        made.addParticle(39.9)
        pairs.addParticle(0.2 * (-1)**number, 0.3, 0.9)
    bonds = mm.HarmonicBondForce()
    for number in range(0, COUNT - 1, 7):
        bonds.addBond(number, number + 1, 0.33, 1000.0)
    made.addForce(pairs)
    made.addForce(bonds)
    return made


def places():
    random = np.random.default_rng(2)
    side = int(np.ceil(COUNT**(1 / 3)))
    return [np.array([number % side, number // side % side, number // side**2]) * BOX / side + random.random(3) * 0.05 for number in range(COUNT)]


def state(platform):
    context = mm.Context(system(), integrator := mm.VerletIntegrator(0.001), mm.Platform.getPlatformByName(platform))
    context.setPositions(places())
    integrator.step(20)
    state = context.getState(getForces=True, getEnergy=True, getPositions=True)
    return {"forces": state.getForces(asNumpy=True)._value, "positions": state.getPositions(asNumpy=True)._value, "energy": np.array(state.getPotentialEnergy()._value)}


def main():
    there, here = state("Reference"), state("OpenCL")
    wrong = 0
    for name in there:
        ok = np.abs(here[name] - there[name]).max() <= 1e-4 * np.abs(there[name]).max()
        wrong += not ok
        print(f"{name}: {'ok' if ok else 'wrong'}")
    raise SystemExit(wrong > 0)


if __name__ == "__main__":
    main()
